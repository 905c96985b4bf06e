// The clients, in a process of their own. Told what to do by one JSON argument; answers with one JSON line.
import { connect, type Socket } from 'node:net'

interface Task {
  readonly port: number
  readonly streams: number
  readonly chunks: number
  readonly intervalMs: number
  readonly waitMs: number
  /** Begins of streams are spread over this long, ms. */
  readonly spreadMs: number
  readonly headers?: Readonly<Record<string, string>>
}

const task = JSON.parse(process.argv[2] as string) as Task
const body = JSON.stringify({
  model: 'bench',
  stream: true,
  stream_options: { include_usage: true },
  messages: [{ role: 'user', content: 'word '.repeat(200) }],
})
const moreLines = Object.entries(task.headers ?? {})
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')
const chunkDelays: number[] = []
const firstDelays: number[] = []
let open = 0
let failed = 0

function stream(serial: number): Promise<void> {
  return new Promise((resolve) => {
    const socket: Socket = connect(task.port, '127.0.0.1')
    socket.setNoDelay(true)
    let sent = 0n
    let first = true
    let rest = ''
    socket.on('connect', () => {
      open++
      sent = process.hrtime.bigint()
      const order = JSON.stringify({ chunks: task.chunks, intervalMs: task.intervalMs, waitMs: task.waitMs })
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nauthorization: Bearer sk-bench\r\nx-order: ${order}\r\nx-exchange: s${serial}\r\nx-streamgauge-app: s${serial}\r\n${moreLines}content-length: ${body.length}\r\n\r\n${body}`,
      )
    })
    socket.on('data', (part: Buffer) => {
      const now = process.hrtime.bigint()
      rest += part.toString('latin1')
      for (;;) {
        const at = rest.indexOf('"@')
        const end = at === -1 ? -1 : rest.indexOf(' "', at)
        if (end === -1) break
        const [written, held] = rest.slice(at + 2, end).split('+') as [string, string | undefined]
        if (first) {
          first = false
          // From sending the request to reading the first token, without what the gateway waited.
          firstDelays.push(Number(now - sent - BigInt(held ?? '0')) / 1000)
        } else chunkDelays.push(Number(now - BigInt(written)) / 1000)
        rest = rest.slice(end)
      }
      if (rest.includes('[DONE]')) {
        rest = ''
        socket.end()
      } else if (rest.length > 65_536) rest = rest.slice(-1024)
    })
    socket.on('error', () => failed++)
    socket.on('close', () => resolve())
  })
}

const all: Promise<void>[] = []
for (let serial = 0; serial < task.streams; serial++) {
  all.push(
    new Promise((resolve) =>
      setTimeout(() => void stream(serial).then(resolve), (task.spreadMs * serial) / task.streams),
    ),
  )
}
await Promise.all(all)
const quantile = (values: number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
process.stdout.write(
  `${JSON.stringify({ open, failed, chunks: chunkDelays.length + firstDelays.length, firstP50: quantile(firstDelays, 0.5), firstP99: quantile(firstDelays, 0.99), chunkP50: quantile(chunkDelays, 0.5), chunkP99: quantile(chunkDelays, 0.99) })}\n`,
)
