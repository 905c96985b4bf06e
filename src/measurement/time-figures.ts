import { latencyBuckets, overheadBuckets } from './buckets.ts'
import { begin, type Figure, seconds } from './figure.ts'
import { noTokenReason } from './rates.ts'
import type { Reason } from './reasons.ts'
import type { StreamMeasurement } from './stream-measurement.ts'

/** Time from t0 to a mark of the gateway's answer: of 2xx answers alone, so that fast refusals do not make a failing gateway look fast. */
function answerTime(m: StreamMeasurement, mark: number | undefined): number | Reason {
  const good = m.answered && m.status !== undefined && m.status >= 200 && m.status < 300
  if (good && mark !== undefined && m.marks.dispatched !== undefined) return seconds(m.marks.dispatched, mark)
  if (m.outcome === 'client_abort') return 'client_left'
  return m.outcome === 'ok' ? 'no_output' : 'error'
}

export const timeToFirstToken: Figure = {
  name: 'time_to_first_token_seconds',
  title: 'Time to first token',
  unit: 's',
  help: 'From handing the request to the HTTP client to the first output event, of streams with at least one.',
  formula: 'firstToken - dispatched',
  buckets: latencyBuckets,
  of(m) {
    const reason = noTokenReason(m)
    if (reason !== undefined) return reason
    return seconds(m.marks.dispatched as number, m.marks.firstToken as number)
  },
}

export const timeToFirstAnswer: Figure = {
  name: 'time_to_first_answer_seconds',
  title: 'Time to first answer token',
  unit: 's',
  help: 'From handing the request to the HTTP client to the first output event that is not reasoning.',
  formula: 'firstAnswer - dispatched',
  buckets: latencyBuckets,
  of(m) {
    const reason = noTokenReason(m)
    if (reason !== undefined) return reason
    if (m.marks.firstAnswer !== undefined) return seconds(m.marks.dispatched as number, m.marks.firstAnswer)
    if (m.outcome !== 'ok') return 'incomplete'
    return m.decoding === 'not_decoded' ? 'not_decoded' : 'no_output'
  },
}

export const timeToFirstByte: Figure = {
  name: 'time_to_first_byte_seconds',
  title: 'Time to first byte',
  unit: 's',
  help: 'From handing the request to the HTTP client to the first body byte of a 2xx answer.',
  formula: 'firstByte - dispatched',
  buckets: latencyBuckets,
  of: (m) => answerTime(m, m.marks.firstByte),
}

export const timeToHeaders: Figure = {
  name: 'time_to_headers_seconds',
  title: 'Time to headers',
  unit: 's',
  help: 'From handing the request to the HTTP client to the head of a 2xx answer.',
  formula: 'headers - dispatched',
  buckets: latencyBuckets,
  of: (m) => answerTime(m, m.marks.headers),
}

export const connectionWait: Figure = {
  name: 'connection_wait_seconds',
  title: 'Connection wait',
  unit: 's',
  help: 'From handing the request to the HTTP client until it is written on a connection: connecting, TLS, waiting for a free one.',
  formula: 'sent - dispatched',
  buckets: overheadBuckets,
  of(m) {
    if (m.marks.sent !== undefined && m.marks.dispatched !== undefined) return seconds(m.marks.dispatched, m.marks.sent)
    return m.outcome === 'client_abort' ? 'client_left' : 'error'
  },
}

export const requestUpload: Figure = {
  name: 'request_upload_seconds',
  title: 'Request upload',
  unit: 's',
  help: "From the request's head to its last body byte.",
  formula: 'bodyReceived - received',
  buckets: undefined,
  of: (m) => (m.marks.bodyReceived === undefined ? undefined : seconds(m.marks.received, m.marks.bodyReceived)),
}

export const proxyOverhead: Figure = {
  name: 'proxy_overhead_seconds',
  title: 'Proxy overhead',
  unit: 's',
  help: 'Time the proxy itself added before the first token: from the last body byte to the hand-over, and from its arrival to its forwarding.',
  formula: '(dispatched - bodyReceived) + (firstTokenForwarded - firstToken)',
  buckets: overheadBuckets,
  expression(m) {
    return m.marks.bodyReceived === undefined ? 'firstTokenForwarded - firstToken' : this.formula
  },
  of(m) {
    const reason = noTokenReason(m)
    if (reason !== undefined) return reason
    const { bodyReceived, dispatched, firstToken, firstTokenForwarded } = m.marks
    if (firstTokenForwarded === undefined) return m.outcome === 'ok' ? undefined : 'incomplete'
    const before = bodyReceived === undefined ? 0 : (dispatched as number) - bodyReceived
    return Math.max(0, (before + firstTokenForwarded - (firstToken as number)) / 1000)
  },
}

export const duration: Figure = {
  name: 'request_duration_seconds',
  title: 'Duration',
  unit: 's',
  help: "From handing the request to the HTTP client to the answer's end, an error, or the client's going away. From the request's head where it was never handed over.",
  formula: 'ended - dispatched',
  buckets: latencyBuckets,
  expression: (m) => `ended - ${begin(m)}`,
  of: (m) => seconds(m.marks.dispatched ?? m.marks.received, m.marks.ended),
}

export const abandonedWait: Figure = {
  name: 'abandoned_wait_seconds',
  title: 'Abandoned wait',
  unit: 's',
  help: 'How long a client waited that left before the first token.',
  formula: 'ended - dispatched, of a stream the client left before its first token',
  buckets: latencyBuckets,
  expression: () => 'ended - dispatched',
  of(m) {
    if (noTokenReason(m) !== 'client_left' || m.marks.dispatched === undefined) return undefined
    return seconds(m.marks.dispatched, m.marks.ended)
  },
}

export const markUncertainty: Figure = {
  name: 'mark_uncertainty_seconds',
  title: 'Mark uncertainty',
  unit: 's',
  help: 'Upper bound of how late the mark of the first token can be, by how long the event loop was busy.',
  formula: '(callback - turn) + busy time before the turn',
  buckets: overheadBuckets,
  expression: () => undefined,
  of: (m) => (m.uncertaintyMs === undefined || m.marks.firstToken === undefined ? undefined : m.uncertaintyMs / 1000),
}
