import diagnostics from 'node:diagnostics_channel'
import type { Socket } from 'node:net'

/**
 * Whether a request was written on a connection that had served one before. undici does not say it to its handlers; its diagnostics channel
 * `undici:client:sendHeaders` fires right after `onRequestStart`, in the same call, so the handler that started last is the one meant.
 */
const used = new WeakSet<Socket>()
let starting: { onReused(reused: boolean): void } | undefined
let subscribed = false

export function watchSocketReuse(): void {
  if (subscribed) return
  subscribed = true
  diagnostics.subscribe('undici:client:sendHeaders', (message) => {
    const { socket } = message as { socket: Socket }
    starting?.onReused(used.has(socket))
    starting = undefined
    used.add(socket)
  })
}

/** Called from `onRequestStart`. */
export function requestStarts(listener: { onReused(reused: boolean): void }): void {
  starting = listener
}
