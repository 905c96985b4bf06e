import { type ServerResponse, STATUS_CODES } from 'node:http'
import { answerHeaders } from './forwarded-headers.ts'
import { type ProxyError, sendError } from './proxy-errors.ts'

/**
 * Writes the head of a gateway's answer and sends it at once. False where a line holds bytes that cannot be sent; nothing has been written then.
 *
 * @param rawHeaders flat list, as undici's controller has it
 */
export function writeAnswerHead(
  response: ServerResponse,
  status: number,
  statusMessage: string | undefined,
  rawHeaders: unknown,
): boolean {
  const lines = answerHeaders(Array.isArray(rawHeaders) ? (rawHeaders as Buffer[]) : [])
  response.sendDate = false
  try {
    response.writeHead(status, reasonPhrase(status, statusMessage), lines)
  } catch {
    response.sendDate = true
    return false
  }
  // flushHeaders() would write the head as UTF-8 on Node 20 and change Latin-1 bytes; an empty Latin-1 write does not.
  response.write('', 'latin1')
  return true
}

/** Ends an exchange that did not end well: an error where nothing was answered yet, else a visible cut. */
export function endBadly(response: ServerResponse, problem: ProxyError): void {
  if (response.headersSent) cutOff(response)
  else sendError(response, problem)
}

/** The bytes of the phrase as they came. undici reads it as UTF-8; where it was none, the standard phrase stands in. */
function reasonPhrase(status: number, phrase = ''): string {
  return phrase.includes('\ufffd') ? (STATUS_CODES[status] ?? '') : Buffer.from(phrase).toString('latin1')
}

/** A larger chunk is not worth copying for its frame. */
const mostFramed = 16_384

/**
 * HOT PATH: runs once per chunk. Writes body bytes; false where the client should be waited for.
 *
 * Node sends the size, the bytes and two line ends of a chunk as four pieces; one buffer with its frame round it is one write.
 *
 * @param isFirst of this answer in the running turn: it goes to the connection at once. Node would hold it until the turn is over, to send it with
 *   those that follow, of which there are none most of the time.
 */
export function writeBody(response: ServerResponse, bytes: Buffer, isFirst: boolean): boolean {
  const { length } = bytes
  if (!response.chunkedEncoding || length > mostFramed || length === 0) return response.write(bytes)
  const size = length.toString(16)
  const framed = Buffer.allocUnsafe(size.length + length + 4)
  let at = framed.write(size, 0, 'latin1')
  framed[at++] = 0x0d
  framed[at++] = 0x0a
  bytes.copy(framed, at)
  at += length
  framed[at++] = 0x0d
  framed[at] = 0x0a
  const { socket, _hasBody: hasBody } = response as ServerResponse & { readonly _hasBody: boolean }
  // An answer that waits behind another one (pipelining) has no connection yet.
  if (isFirst && socket?.writable === true && hasBody && !response.writableEnded) {
    if (socket.write(framed)) return true
    // An empty write makes Node note that a drain is to be told.
    response.write('', 'latin1')
    return false
  }
  response.chunkedEncoding = false
  try {
    return response.write(framed)
  } finally {
    response.chunkedEncoding = true
  }
}

/**
 * Ends an answer so that it cannot be taken for a whole one: what has been written still goes out, the last chunk does not. Where the body ends
 * with the connection (HTTP/1.0 clients), only a reset can tell.
 */
export function cutOff(response: ServerResponse): void {
  const { socket } = response
  if (socket === null) {
    response.destroy()
    return
  }
  const endsByLength = response.hasHeader('content-length') || /^content-length:/im.test(headOf(response))
  if (response.chunkedEncoding || endsByLength) socket.destroySoon()
  else if (socket.writableLength === 0) socket.resetAndDestroy()
  else socket.once('drain', () => socket.resetAndDestroy())
}

function headOf(response: ServerResponse): string {
  return (response as unknown as { _header: string | null })._header ?? ''
}
