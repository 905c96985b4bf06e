import httpProxy from '@fastify/http-proxy'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'

/** Where rewritten requests go inside Fastify: paths that no client can name, since every target is rewritten. */
export const passthroughPrefix = '/passthrough'

/**
 * Everything that is not a generation rides `@fastify/http-proxy`, with the body streamed and never parsed. The way to the gateway is the
 * same as a generation's (`handler`), so that headers, time limits, errors and the client's leaving are treated alike; the plugin's own retries
 * and its rewriting of paths and headers do not come into it.
 */
export async function registerPassthrough(
  app: FastifyInstance,
  agent: Dispatcher,
  handler: (request: FastifyRequest, reply: FastifyReply) => void,
): Promise<void> {
  await app.register(httpProxy, {
    prefix: passthroughPrefix,
    // Never asked: each exchange has its own gateway.
    upstream: 'http://gateway.invalid',
    undici: agent,
    retryMethods: [],
    disableRequestLogging: true,
    handler: (request, reply) => {
      handler(request, reply)
      return reply
    },
  })
}
