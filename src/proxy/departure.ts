import type { IncomingMessage, ServerResponse } from 'node:http'

/** Who wants to know how a client goes. Each is called at most once. */
export interface Departure {
  /** The client has closed its side. It will read no more of a running answer, as far as anybody can tell. */
  left(): void
  /** The client has the last byte, or its connection is gone. */
  gone(): void
}

/** Watches one answer and its connection. */
export function watchDeparture(request: IncomingMessage, response: ServerResponse, departure: Departure): void {
  const { socket } = request
  // A client that pipelines has many answers waiting on one connection.
  socket.setMaxListeners(0)
  const stop = (): void => {
    response.off('close', onGone)
    socket.off('close', onGone)
    socket.off('end', onLeft)
  }
  const onLeft = (): void => {
    socket.off('end', onLeft)
    departure.left()
  }
  const onGone = (): void => {
    stop()
    departure.gone()
  }
  response.on('error', () => {})
  response.on('close', onGone)
  // A response that waits behind another one (pipelining) is never told of its connection's end.
  socket.on('close', onGone)
  socket.on('end', onLeft)
  if (response.closed || socket.destroyed) onGone()
}
