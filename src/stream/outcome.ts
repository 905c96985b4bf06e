import type { Outcome } from '../measurement/outcomes.ts'
import type { EndCause } from './stream-observer.ts'

/** What decides an outcome besides the cause of the end. */
export interface AnswerState {
  /** The gateway's status; `undefined`: no head came. */
  readonly status: number | undefined
  readonly streamed: boolean
  readonly readable: boolean
  readonly endSeen: boolean
  /** The protocol's own closing event: a finish reason alone is not enough to forgive a cut. */
  readonly protocolEndSeen: boolean
  /** The error that a 2xx answer carried, or the label of an error status. */
  readonly error: string | undefined
}

/** definitions.md, "Outcomes". */
export function outcomeOf(cause: EndCause, answer: AnswerState): { outcome: Outcome; error: string | undefined } {
  switch (cause.kind) {
    case 'rejected':
      return { outcome: 'rejected', error: cause.error }
    case 'complete':
      return completed(answer)
    // A client that leaves because of an error in the answer (the usual libraries do at once) is not what went wrong.
    case 'client':
      return answer.endSeen || isErrorInside(answer)
        ? completed(answer)
        : { outcome: 'client_abort', error: cause.error }
    case 'shutdown':
      return answer.endSeen || isErrorInside(answer) ? completed(answer) : { outcome: 'shutdown', error: 'shutdown' }
    case 'timeout':
      return answer.protocolEndSeen || isErrorInside(answer)
        ? completed(answer)
        : { outcome: 'gateway_timeout', error: cause.error }
    case 'gateway':
      return answer.protocolEndSeen || isErrorInside(answer)
        ? completed(answer)
        : { outcome: 'gateway_error', error: cause.error }
  }
}

function isErrorInside(answer: AnswerState): boolean {
  return answer.error !== undefined && answer.status !== undefined && answer.status < 400
}

function completed(answer: AnswerState): { outcome: Outcome; error: string | undefined } {
  const { status, error } = answer
  if (status === 429) return { outcome: 'rate_limited', error: error ?? 'http_429' }
  if (status !== undefined && status >= 500) return { outcome: 'http_5xx', error: error ?? `http_${status}` }
  if (status !== undefined && status >= 400) return { outcome: 'http_4xx', error: error ?? `http_${status}` }
  if (error !== undefined) return { outcome: 'stream_error', error }
  if (answer.streamed && answer.readable && !answer.endSeen) return { outcome: 'truncated', error: 'no_end_event' }
  return { outcome: 'ok', error: undefined }
}
