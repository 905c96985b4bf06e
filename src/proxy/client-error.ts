import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { afterAnswers } from './pipelining.ts'
import type { ProxyContext } from './proxy-context.ts'
import { errorBody, type ProxyErrorCode, proxyError } from './proxy-errors.ts'
import { recordRefusal } from './refusal.ts'

const byCode: Readonly<Record<string, ProxyErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'head_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'head_timeout',
}

const longestFarewellMs = 10_000
/** Every further piece of what is no HTTP is one more error; a connection is refused once. */
const refused = new WeakSet<Socket>()

/** Answers what never became a request, and counts it: no route ran, so it has no gateway. */
export function answerClientError(context: ProxyContext, error: NodeJS.ErrnoException, socket: Socket): void {
  // The client's own going away is no request that was refused.
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const running = context.running.on(socket)
  const broken = running.find((exchange) => exchange.uploading)
  if (broken !== undefined) {
    // The client's side has ended in the middle of its request: it left. What is no HTTP ends the exchange it is part of.
    if (error.code === 'HPE_INVALID_EOF_STATE') socket.destroy()
    else broken.malformed()
    return
  }
  // Nothing was ever sent: nothing was asked. The rest of a request that was answered early is no second one.
  if (socket.bytesRead === 0 || context.running.isDiscarding(socket)) {
    socket.destroy()
    return
  }
  // What follows the last request of a connection is not read (RFC 9112, section 9.6); its answer is still to come.
  if (error.code === 'HPE_CLOSED_CONNECTION' || refused.has(socket)) return
  refused.add(socket)
  refuse(context, byCode[error.code ?? ''] ?? 'bad_request', socket)
}

/** A client took the proxy for a forward proxy. Node would close without a word. */
export function answerConnect(context: ProxyContext, socket: Socket): void {
  socket.on('error', () => {})
  refuse(context, 'connect_method', socket)
  // The server has let go of the connection, and would wait for it at its end.
  socket.resume()
  socket.destroySoon()
}

function refuse(context: ProxyContext, code: ProxyErrorCode, socket: Socket): void {
  const problem = proxyError(code)
  recordRefusal(context, problem.code, problem.status)
  const body = errorBody(problem)
  const answer =
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  // An answer that is under way on this connection must not get a second head in its middle.
  afterAnswers(socket, () => {
    if (!socket.writable) return
    // Closing at once would reset the connection under what is still being sent, and the answer with it; waiting for ever would hold it open.
    setTimeout(() => socket.destroy(), longestFarewellMs).unref()
    socket.end(answer)
  })
}
