import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance } from 'fastify'
import { Agent } from 'undici'
import { answerClientError, answerConnect } from './client-error.ts'
import { Exchange } from './exchange.ts'
import { passthroughLabels } from './exchange-identity.ts'
import { passthroughPrefix, registerPassthrough } from './passthrough.ts'
import { inTurn } from './pipelining.ts'
import { isProperHead } from './proper-head.ts'
import type { GatewayRoom, ProxyContext } from './proxy-context.ts'
import { type ProxyErrorCode, proxyError, sendError } from './proxy-errors.ts'
import { hasBody, readBody } from './request-body.ts'
import { peekRequest } from './request-peek.ts'
import { type KnownRoute, type Route, routeOf } from './route.ts'
import { Upload } from './upload.ts'

export interface ProxyAppOptions {
  /** ms; 0: for ever. */
  readonly keepAliveMs: number
  readonly maxHeaderBytes: number
  /** A client may take this long for the head of a request, ms: slow heads hold connections for nothing. Default 60 s. */
  readonly headTimeoutMs?: number
}

const generationPath = '/generation'
const refusedPath = '/refused'

interface Arrival {
  readonly exchange: Exchange
  readonly route: Route
  readonly gateway: GatewayRoom | undefined
  readonly refused: ProxyErrorCode | undefined
}

/** On the request itself: a WeakMap of requests costs each garbage collection. */
const arrived = Symbol('arrived')
type Arriving = IncomingMessage & { [arrived]?: Arrival | undefined }

/** The proxy's HTTP side: Fastify routes each request to one of three places, by a target that no client can name. */
export async function createProxyApp(context: ProxyContext, options: ProxyAppOptions): Promise<FastifyInstance> {
  const names = new Set(context.gateways.keys())
  const [firstGateway] = context.gateways.values()

  const app = Fastify({
    logger: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    keepAliveTimeout: options.keepAliveMs,
    // Uploads may take as long as they take; the head alone is limited (below).
    requestTimeout: 0,
    // TCP probes find clients that vanished without a packet.
    http: {
      maxHeaderSize: options.maxHeaderBytes,
      // Node would answer without a body, and nobody would count it: see `refusal`.
      requireHostHeader: false,
      keepAlive: true,
      keepAliveInitialDelay: 60_000,
    },
    clientErrorHandler: (error, socket) => answerClientError(context, error as NodeJS.ErrnoException, socket as Socket),
    rewriteUrl: (raw) => {
      const request = raw as IncomingMessage
      const arrival = arrive(request)
      ;(request as Arriving)[arrived] = arrival
      if (arrival === undefined || arrival.refused !== undefined) return refusedPath
      if (arrival.route.kind === 'generation') return generationPath
      // The plugin's parser must take the body as it is, whatever its type says.
      const { headers } = request
      // Fastify wants a type of every QUERY.
      if (headers['content-type'] !== undefined || request.method === 'QUERY') {
        headers['content-type'] = 'application/octet-stream'
      }
      return passthroughPrefix
    },
  })
  // Node's own limit of 2000 lines drops the rest in silence, the body's length among them; maxHeaderSize bounds them all.
  app.server.maxHeadersCount = 0
  app.server.on('connect', (_request, socket: Socket) => answerConnect(context, socket))
  // What is expected beyond 100-continue is the gateway's to judge.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))
  app.server.headersTimeout = options.headTimeoutMs ?? 60_000

  /** Never throws: Fastify calls it where nothing would catch. `undefined`: the request cannot even be counted. */
  function arrive(request: IncomingMessage): Arrival | undefined {
    let exchange: Exchange | undefined
    try {
      exchange = new Exchange(context, request)
      return routed(exchange, request)
    } catch (error) {
      context.onCrash(error)
      return exchange && { exchange, route: { kind: 'bad_path' }, gateway: undefined, refused: 'internal' }
    }
  }

  function routed(exchange: Exchange, request: IncomingMessage): Arrival {
    const route = routeOf(request.method ?? '', request.url ?? '', names)
    if (route.kind === 'bad_path') return { exchange, route, gateway: undefined, refused: 'bad_path' }
    const gateway = route.gateway === undefined ? firstGateway : context.gateways.get(route.gateway)
    return { exchange, route, gateway, refused: refusal(request, gateway) }
  }

  function refusal(request: IncomingMessage, gateway: GatewayRoom | undefined): ProxyErrorCode | undefined {
    if (!isProperHead(request)) return 'bad_request'
    if (!context.hostAllowed(request.headers.host)) return 'host_not_allowed'
    if (!context.keyAllowed(request.rawHeaders)) return 'client_key'
    if (context.refusesRequests()) return 'draining'
    if (context.running.count >= context.maxStreams) return 'overloaded'
    if (request.headers.upgrade?.toLowerCase() === 'websocket') return 'websocket'
    return gateway === undefined ? 'unknown_gateway' : undefined
  }

  /** Takes the exchange out of Fastify's hands: its answer is written byte for byte. */
  function take(request: IncomingMessage, response: ServerResponse): void {
    const arrival = (request as Arriving)[arrived]
    if (arrival === undefined) {
      sendError(response, proxyError('internal'))
      return
    }
    const { exchange, route, gateway, refused } = arrival
    ;(request as Arriving)[arrived] = undefined
    const known = route.kind === 'bad_path' ? undefined : route
    try {
      if (refused !== undefined || known === undefined || gateway === undefined) {
        exchange.take(response, known, gateway, 'refused')
        inTurn(request, response, () => exchange.reject(refused ?? 'bad_path'))
        return
      }
      exchange.take(response, known, gateway, 'carried')
      inTurn(request, response, () => start(exchange, known, gateway))
    } catch (error) {
      crash(exchange, error)
    }
  }

  function start(exchange: Exchange, route: KnownRoute, gateway: GatewayRoom): void {
    try {
      if (exchange.socket.destroyed) exchange.abandoned()
      else if (route.kind === 'generation') generate(exchange, route, gateway).catch((error) => crash(exchange, error))
      else exchange.forward(route, gateway, passthroughLabels, bodyOf(exchange))
    } catch (error) {
      crash(exchange, error)
    }
  }

  function bodyOf(exchange: Exchange): Upload | null {
    if (!hasBody(exchange.request)) return null
    return new Upload(exchange.request, context.clientStallMs, () => exchange.uploadStalled())
  }

  async function generate(exchange: Exchange, route: KnownRoute, gateway: GatewayRoom) {
    const body = await readBody(exchange.request, context.maxBodyBytes, context.clientStallMs)
    if (body.kind === 'gone') exchange.abandoned()
    else if (body.kind === 'too_large') exchange.reject('body_too_large')
    else if (body.kind === 'stalled') exchange.uploadStalled()
    else {
      exchange.bodyReceived()
      const coding = exchange.request.headers['content-encoding']
      const peeked = peekRequest(body.bytes, coding, route.operation)
      const labels = peeked instanceof Promise ? await peeked : peeked
      exchange.forward(route, gateway, labels, body.bytes)
    }
  }

  function crash(exchange: Exchange, error: unknown): void {
    context.onCrash(error)
    try {
      exchange.crashed()
    } catch (again) {
      context.onCrash(again)
      exchange.socket.destroy()
    }
  }

  const hijack = async (
    request: { raw: IncomingMessage },
    reply: { hijack(): void; raw: ServerResponse },
  ): Promise<void> => {
    reply.hijack()
    take(request.raw, reply.raw)
  }
  app.route({ method: 'POST', url: generationPath, onRequest: hijack, handler: () => undefined })
  app.all(refusedPath, { onRequest: hijack }, () => undefined)
  app.setNotFoundHandler({ preHandler: hijack }, () => undefined)
  // What Fastify would refuse by rules of its own is forwarded all the same.
  app.setErrorHandler((error, request, reply) => {
    reply.hijack()
    if ((request.raw as Arriving)[arrived] !== undefined) take(request.raw, reply.raw)
    else context.onCrash(error)
  })
  await registerPassthrough(app, new Agent(), (request, reply) => {
    reply.hijack()
    take(request.raw, reply.raw)
  })
  await app.ready()
  return app
}
