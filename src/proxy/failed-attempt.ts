import type { Readable } from 'node:stream'
import { closedBeforeReading, failureOf } from '../gateway/failure.ts'
import type { UsedSocket } from '../gateway/socket-guard.ts'
import type { EndCause } from '../stream/stream-observer.ts'
import type { ProxyErrorCode } from './proxy-errors.ts'
import { type Limits, limitText } from './time-limits.ts'

/** A connection that the gateway had closed says so within a round trip and this, ms of waiting; later it may have read the request. */
const resendWithinMs = 100

/** A request to a gateway that came to nothing: no byte of an answer. */
export interface FailedAttempt {
  readonly error: Error
  readonly used: UsedSocket | undefined
  readonly body: Buffer | Readable | null
  /** How long the event loop has waited for events since the request was written, ms: while it is busy it cannot notice an end. */
  readonly waitedMs: number
}

/**
 * Whether a request may be sent once more: where it met a kept-alive connection that the gateway had just closed, and what was sent is at hand
 * whole. Never after a reset (the request may have been read), never after any byte of an answer (an interim head tells that the request was read),
 * and never on a connection that was new.
 */
export function mayResend({ error, used, body, waitedMs }: FailedAttempt): boolean {
  return (
    used?.reused === true &&
    used.socket.bytesRead === used.bytesReadBefore &&
    (body === null || Buffer.isBuffer(body)) &&
    closedBeforeReading(error) &&
    waitedMs <= resendWithinMs + used.connectMs
  )
}

/**
 * How an exchange ends by an error of the HTTP client, and what its client is told.
 *
 * @param answering something of the answer came
 */
export function endingOf(
  error: Error,
  answering: boolean,
  limits: Limits,
): { readonly code: ProxyErrorCode; readonly cause: EndCause; readonly detail: string | undefined } {
  const { label: found, detail } = failureOf(error)
  // An answer that is cut is `reset`, whether by FIN, by RST or because the peer is gone: wire.md, section 8.
  const label = answering && (found === 'closed' || found === 'connect_timeout') ? 'reset' : found
  if (label === 'connect_timeout') {
    const limit = limitText(limits.connect)
    return { code: label, cause: { kind: 'timeout', error: `${label} (${limit})` }, detail: limit }
  }
  if (label === 'no_descriptors') return { code: label, cause: { kind: 'rejected', error: label }, detail }
  return { code: label, cause: { kind: 'gateway', error: label }, detail }
}
