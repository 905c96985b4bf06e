// @fastify/http-proxy as it comes, with a cap on connections that does not matter here.
import httpProxy from '@fastify/http-proxy'
import Fastify from 'fastify'

const app = Fastify({ logger: false, keepAliveTimeout: 600_000 })
await app.register(httpProxy, {
  upstream: process.argv[2] as string,
  undici: { connections: 100_000, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 },
  disableRequestLogging: true,
})
const url = await app.listen({ port: 0, host: '127.0.0.1' })
process.stdout.write(`${new URL(url).port}\n`)
process.on('disconnect', () => process.exit(0))
