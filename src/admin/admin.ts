import { Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { contentTypes } from '../report/exposition-text.ts'
import { exchangeDetail } from '../report/live-rows.ts'
import type { Metrics } from '../report/prometheus.ts'
import { acceptedFormat } from './accepted-format.ts'
import { hostName, isLoopback, tokenCheck } from './access.ts'
import { type AdminError, adminErrors } from './admin-errors.ts'
import { LiveFeed } from './live-feed.ts'
import type { LiveSources, PageFacts } from './live-source.ts'
import { contentSecurityPolicy, readPageFiles } from './page-files.ts'

export interface AdminOptions {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Asked for everything but /healthz and /readyz; `''`: none. */
  readonly token: string
  readonly metrics: Pick<Metrics, 'slices'>
  readonly live: LiveSources
  /** `false` while draining. */
  readonly ready: () => boolean
  readonly page: PageFacts
  /** A connection could not be accepted. */
  readonly onListenerFault?: (error: Error) => void
}

export interface Admin {
  /** e.g. `http://127.0.0.1:9484` */
  readonly url: string
  /** Ends also what is being sent. */
  close(): Promise<void>
}

const methods = ['GET', 'HEAD']
const openPaths = new Set(['/healthz', '/readyz'])

/** The second listener: metrics, health and the page. Rejects where the address cannot be listened on. */
export async function startAdmin(options: AdminOptions): Promise<Admin> {
  const app = Fastify({
    forceCloseConnections: true,
    frameworkErrors: (_error, _request, reply: FastifyReply) => refuse(reply, adminErrors.request),
  })
  guard(app, options)
  serveMetrics(app, options.metrics)
  app.get('/healthz', () => ({ status: 'ok' }))
  app.get('/readyz', (_, reply) => {
    const ready = options.ready()
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'draining' })
  })
  servePage(app)
  const feed = serveLive(app, options)
  answerErrors(app)
  await app.listen({ host: options.host, port: options.port })
  // Without a listener of ours it would end the process: no file descriptor is left for a connection.
  app.server.on('error', (error) => options.onListenerFault?.(error))
  return {
    url: urlOf(app),
    async close() {
      feed.close()
      await app.close()
    },
  }
}

/** Who may ask. A page of another site can make a browser ask a loopback address by a name of its own (DNS rebinding); its Host gives it away. */
function guard(app: FastifyInstance, { host, token }: AdminOptions): void {
  const onLoopback = isLoopback(host)
  const hasToken = token === '' ? undefined : tokenCheck(token)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    if (onLoopback && !isLoopback(hostName(request.headers.host))) return refuse(reply, adminErrors.host)
    if (hasToken === undefined || openPaths.has(pathOf(request)) || hasToken(request.headers.authorization)) return
    return refuse(reply.header('www-authenticate', 'Basic realm="Streamgauge", charset="UTF-8"'), adminErrors.token)
  })
}

function serveMetrics(app: FastifyInstance, metrics: AdminOptions['metrics']): void {
  const begin = (request: FastifyRequest, reply: FastifyReply) => {
    const format = acceptedFormat(request.headers.accept)
    reply.header('vary', 'accept').type(contentTypes[format])
    return format
  }
  // A HEAD of its own: the one that Fastify derives would render everything for nobody.
  app.head('/metrics', (request, reply) => {
    begin(request, reply)
    return reply.send()
  })
  app.get('/metrics', (request, reply) =>
    reply.send(Readable.from(metrics.slices(begin(request, reply)), { objectMode: false })),
  )
}

/** Every address in the page is relative, so that it works behind a prefix. */
function servePage(app: FastifyInstance): void {
  for (const [name, { type, body }] of readPageFiles()) {
    app.get(name === 'index.html' ? '/' : `/${name}`, (_, reply) =>
      reply.type(type).header('content-security-policy', contentSecurityPolicy).send(body),
    )
  }
}

function serveLive(app: FastifyInstance, { live, page }: AdminOptions): LiveFeed {
  const feed = new LiveFeed(live, page)
  app.get('/live', { exposeHeadRoute: false }, (_, reply) => {
    if (!feed.hasRoom) return refuse(reply, adminErrors.viewers)
    reply.hijack()
    feed.attach(reply.raw, reply.getHeaders() as Record<string, string>)
    return reply
  })
  app.get<{ Params: { id: string } }>('/exchanges/:id', ({ params }, reply) => {
    const entry = live.recent.find(params.id)
    return entry === undefined ? refuse(reply, adminErrors.exchange) : reply.send(exchangeDetail(entry))
  })
  return feed
}

function answerErrors(app: FastifyInstance): void {
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    if (
      !methods.includes(request.method) &&
      methods.some((method) => app.hasRoute({ method: method as 'GET', url: path }))
    ) {
      return refuse(reply.header('allow', methods.join(', ')), adminErrors.method)
    }
    return refuse(reply, adminErrors.path)
  })
  app.setErrorHandler((error: { statusCode?: number }, _, reply) => {
    const wrong = error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500
    return refuse(reply, wrong ? { ...adminErrors.request, status: error.statusCode as number } : adminErrors.internal)
  })
}

const refuse = (reply: FastifyReply, { status, code, message }: AdminError): FastifyReply =>
  reply.code(status).send({ error: { code, message } })

const pathOf = (request: FastifyRequest): string => request.url.split('?', 1)[0] as string

function urlOf(app: FastifyInstance): string {
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('the admin server listens nowhere')
  return `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`
}
