import type { Socket } from 'node:net'
import type { ProxyContext } from './proxy-context.ts'
import { errorBody, type ProxyErrorCode, proxyError } from './proxy-errors.ts'
import { recordRefusal } from './refusal.ts'

const byCode: Readonly<Record<string, ProxyErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'head_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'head_timeout',
}

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
  // Nothing was ever sent: nothing was asked.
  if (socket.bytesRead === 0) {
    socket.destroy()
    return
  }
  const problem = proxyError(byCode[error.code ?? ''] ?? 'bad_request')
  recordRefusal(context, problem.code, problem.status)
  // An answer that is under way on this connection must not get a second head in its middle.
  if (running.length > 0) {
    socket.destroy()
    return
  }
  const body = errorBody(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${reasonOf(problem.status)}\r\nconnection: close\r\ncontent-type: application/json; charset=utf-8\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function reasonOf(status: number): string {
  if (status === 431) return 'Request Header Fields Too Large'
  return status === 408 ? 'Request Timeout' : 'Bad Request'
}
