import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { CacheHints, ExchangeIdentity } from '../measurement/stream-measurement.ts'
import type { KnownRoute } from './route.ts'

const noHints: CacheHints = Object.freeze({ cacheControl: 0, promptCacheKey: false })
const longestPath = 256

/** What the body of a generation told. */
export interface RequestLabels {
  readonly model: string
  readonly streamAsked: boolean
  readonly cacheHints: CacheHints
}

/** @param gateway `''`: refused before one was known */
export function identityOf(
  request: IncomingMessage,
  startedAt: number,
  route: KnownRoute | undefined,
  gateway: string,
  labels: RequestLabels | undefined,
): ExchangeIdentity {
  const operation = route?.operation
  return Object.freeze({
    id: randomUUID(),
    traceId: traceIdOf(request.headers['traceparent']),
    startedAt,
    gateway,
    operation,
    app: appOf(request, route),
    model: labels?.model ?? (operation === undefined ? '' : 'unknown'),
    method: request.method ?? '',
    path: (route?.path ?? '').slice(0, longestPath),
    streamAsked: labels?.streamAsked ?? false,
    cacheHints: labels?.cacheHints ?? noHints,
  })
}

export const passthroughLabels: RequestLabels = Object.freeze({ model: '', streamAsked: false, cacheHints: noHints })

function appOf(request: IncomingMessage, route: KnownRoute | undefined): string {
  if (route !== undefined && route.app !== '') return route.app
  const header = request.headers['x-streamgauge-app']
  return typeof header === 'string' ? header : ''
}

function traceIdOf(traceparent: string | string[] | undefined): string | undefined {
  if (typeof traceparent !== 'string') return undefined
  return /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/.exec(traceparent)?.[1]
}
