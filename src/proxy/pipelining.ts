import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** The newest answer of each connection. */
const newest = new WeakMap<Socket, ServerResponse>()

/**
 * Starts a request once all earlier ones of its connection are answered: a client that pipelines may rely on their order (RFC 9112, section
 * 9.3.2). Node hands them over all at once. `start` is called exactly once, also where the connection ends before its turn.
 */
export function inTurn(request: IncomingMessage, response: ServerResponse, start: () => void): void {
  const { socket } = request
  const before = newest.get(socket)
  newest.set(socket, response)
  if (before === undefined || before.closed || socket.destroyed) {
    start()
    return
  }
  const go = (): void => {
    before.off('close', go)
    socket.off('close', go)
    start()
  }
  before.on('close', go)
  // An answer that is not under way is never told of its connection's end.
  socket.on('close', go)
}

/** Calls `act` once all answers of the connection are delivered; at once where none is under way. */
export function afterAnswers(socket: Socket, act: () => void): void {
  const last = newest.get(socket)
  if (last === undefined || last.closed) act()
  else last.once('close', act)
}
