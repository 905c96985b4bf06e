// A paced gateway of its own process. Every chunk says when it was written, on the machine's monotonic clock, so that another process can tell
// how long it was on its way.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const monotonic = (): bigint => process.hrtime.bigint()
/** First writes by exchange, for comparing a proxy's marks with. */
const firstWrites = new Map<string, string>()

interface Order {
  readonly chunks: number
  readonly intervalMs: number
  /** ms before the first chunk. */
  readonly waitMs: number
}

const json = Buffer.from(
  JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    model: 'bench',
    choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(60) }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 20, completion_tokens: 60, total_tokens: 80 },
  }),
)

const server = createServer((request, response) => {
  const received = monotonic()
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    if (request.url === '/first-writes') {
      response.end(JSON.stringify(Object.fromEntries(firstWrites)))
      firstWrites.clear()
      return
    }
    const order = orderOf(request.headers['x-order'])
    if (order === undefined) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': json.length })
      response.end(json)
      return
    }
    request.socket.setNoDelay(true)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.flushHeaders()
    play(response, order, received, String(request.headers['x-exchange'] ?? ''))
  })
})

function orderOf(header: string | string[] | undefined): Order | undefined {
  return typeof header === 'string' ? (JSON.parse(header) as Order) : undefined
}

function play(response: ServerResponse, order: Order, received: bigint, exchange: string): void {
  const begun = performance.now() + order.waitMs
  let written = 0
  const next = (): void => {
    if (response.destroyed) return
    const now = monotonic()
    // The text itself says when it was written, so that the event is like any other.
    const held = written === 0 ? `+${now - received}` : ''
    if (written === 0 && exchange !== '') firstWrites.set(exchange, String(now))
    written++
    const finish = written === order.chunks ? '"stop"' : 'null'
    response.write(
      `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1796000000,"model":"bench","choices":[{"index":0,"delta":{"content":"@${now}${held} "},"logprobs":null,"finish_reason":${finish}}]}\n\n`,
    )
    if (written === order.chunks) {
      response.end(
        `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","model":"bench","choices":[],"usage":{"prompt_tokens":20,"completion_tokens":${order.chunks},"total_tokens":${order.chunks + 20}}}\n\ndata: [DONE]\n\n`,
      )
      return
    }
    setTimeout(next, Math.max(0, begun + written * order.intervalMs - performance.now()))
  }
  setTimeout(next, order.waitMs)
}

server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
process.on('disconnect', () => process.exit(0))
