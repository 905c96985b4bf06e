import type { IncomingMessage, ServerResponse } from 'node:http'
import { performance } from 'node:perf_hooks'
import { embeddings, listModels, listTags, showModel } from './catalogue.ts'
import type { Generations } from './generation.ts'
import { isObject, type JsonObject } from './json.ts'
import { operationFor } from './operations.ts'
import type { SimulatedOperation } from './request.ts'
import { badRequest, errorBody, type SimulatedError, unknownPath } from './simulated-error.ts'
import { beginTruth, type ExchangeTruth, type TruthRing } from './truth.ts'

/** A whole answer made at once. */
interface Reply {
  readonly status: number
  readonly body: unknown
}

const largestBody = 64 * 1024 * 1024

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of request) {
    size += (part as Buffer).length
    // Read on, and keep nothing: an answer to a body that is still being sent would not be seen.
    if (size <= largestBody) parts.push(part as Buffer)
  }
  return size <= largestBody ? Buffer.concat(parts) : undefined
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A part of a path; as it stands where its escapes are broken. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Takes requests in: tells generations from the rest, and answers the rest. */
export class Reception {
  readonly #generations: Generations
  readonly #ring: TruthRing
  readonly #prefix: string
  #count = 0

  constructor(generations: Generations, ring: TruthRing, prefix: string) {
    this.#generations = generations
    this.#ring = ring
    this.#prefix = prefix
  }

  /** Rejects where the client goes away while its body is read. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const zero = performance.now()
    const asked = request.headers['x-sim-exchange']
    const id = typeof asked === 'string' && asked !== '' ? asked.slice(0, 128) : `${this.#prefix}-${++this.#count}`
    const method = request.method ?? 'GET'
    const path = (request.url ?? '/').split('?')[0] as string
    const short = path.startsWith('/v1/') ? path.slice(3) : path
    if (short.startsWith('/sim/')) {
      const reply = await this.#control(method, short, request)
      send(response, reply, id)
      return
    }
    const truth = beginTruth(id, method, path)
    this.#ring.add(truth)
    const body = await readBody(request)
    truth.marks.bodyReceived = performance.now() - zero
    const reply =
      method === 'POST'
        ? this.#post(short, body?.toString(), request, response, truth, zero)
        : (this.#get(method, short) ?? refusal(unknownPath(method, path), undefined, id))
    if (reply === undefined) return
    truth.status = reply.status
    truth.state = reply.status < 400 ? 'completed' : 'failed'
    truth.marks.headers = truth.marks.firstByte = truth.marks.ended = performance.now() - zero
    send(response, reply, id)
  }

  #get(method: string, path: string): Reply | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined
    if (path === '/models') return { status: 200, body: listModels() }
    if (path === '/api/tags') return { status: 200, body: listTags() }
    const model = path.startsWith('/models/') ? showModel(decoded(path.slice(8))) : undefined
    return model && { status: 200, body: model }
  }

  #post(
    path: string,
    text: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    truth: ExchangeTruth,
    zero: number,
  ): Reply | undefined {
    const entry = operationFor(path)
    const refuse = (error: SimulatedError): Reply => refusal(error, entry?.operation, truth.id)
    if (entry === undefined && path !== '/embeddings') return refuse(unknownPath('POST', path))
    const body = parse(text)
    if (!isObject(body)) return refuse(badRequest('The body must be a JSON object of at most 64 MiB.'))
    if (entry === undefined) return { status: 200, body: embeddings(body) }
    const header = request.headers['x-sim-script']
    const script = typeof header === 'string' ? (parse(header) ?? 'not JSON') : undefined
    const error = this.#generations.answer({ entry, body, script, response, truth, zero })
    return error && refuse(error)
  }

  /** `/sim/…`: what the simulator tells of itself, and the one thing it can be told. */
  async #control(method: string, path: string, request: IncomingMessage): Promise<Reply> {
    if (method === 'GET' && path === '/sim/truths') return { status: 200, body: this.#ring.all() }
    if (method === 'GET' && path.startsWith('/sim/truth/')) {
      const truth = this.#ring.get(decoded(path.slice(11)))
      if (truth !== undefined) return { status: 200, body: truth }
    }
    if (method === 'POST' && path === '/sim/slow') {
      const body = parse((await readBody(request))?.toString()) as JsonObject | undefined
      const { model, factor } = { model: body?.['model'], factor: body?.['factor'] }
      if (typeof model !== 'string' || typeof factor !== 'number' || !(factor > 0)) {
        return refusal(badRequest('Send {"model": "sim/…", "factor": 2}.'), undefined, '')
      }
      this.#generations.slow(model, factor)
      return { status: 200, body: { model, factor } }
    }
    return refusal(unknownPath(method, path), undefined, '')
  }
}

function refusal(error: SimulatedError, operation: SimulatedOperation | undefined, id: string): Reply {
  return { status: error.status, body: errorBody(error, operation, id) }
}

function send(response: ServerResponse, reply: Reply, id: string): void {
  const text = JSON.stringify(reply.body)
  response.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    'x-request-id': id,
  })
  response.end(text)
}
