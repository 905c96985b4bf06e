// The yardstick: undici's dispatch straight to the response, with nothing measured. What it costs is the price of proxying with these parts.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Agent, type Dispatcher } from 'undici'

const origin = process.argv[2] as string
const agent = new Agent({
  connections: null,
  pipelining: 1,
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 60_000,
})
const hopByHop = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'content-length'])

const server = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    const headers: string[] = []
    for (let i = 0; i < request.rawHeaders.length; i += 2) {
      if (hopByHop.has((request.rawHeaders[i] as string).toLowerCase())) continue
      headers.push(request.rawHeaders[i] as string, request.rawHeaders[i + 1] as string)
    }
    let controller: Dispatcher.DispatchController | undefined
    response.on('close', () => {
      if (!response.writableFinished) controller?.abort(new Error('left'))
    })
    agent.dispatch(
      { origin, path: request.url as string, method: 'POST', headers, body: Buffer.concat(parts) },
      {
        onRequestStart(started) {
          controller = started
        },
        onResponseStart(_, status, answerHeaders) {
          const lines: Record<string, string | string[]> = {}
          for (const [name, value] of Object.entries(answerHeaders)) {
            if (value !== undefined && (name === 'content-length' || !hopByHop.has(name))) lines[name] = value
          }
          response.writeHead(status, lines)
          response.flushHeaders()
        },
        onResponseData(started, bytes) {
          if (response.write(bytes)) return
          started.pause()
          response.once('drain', () => started.resume())
        },
        onResponseEnd: () => void response.end(),
        onResponseError: () => response.destroy(),
      },
    )
  })
})
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.on('disconnect', () => process.exit(0))
