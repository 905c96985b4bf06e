import { labelOf } from './loose-json.ts'

/** Where gateways say who served, under names in lower case; the first that is there counts. wire.md, section 6. */
export const answerHeaders = {
  provider: ['x-portkey-provider', 'x-inference-provider', 'x-bifrost-provider'],
  servedModel: ['ngrok-aig-model', 'x-bifrost-resolved-model', 'x-litellm-model-group', 'x-ms-deployment-name'],
  gatewayRequestId: [
    'x-request-id',
    'request-id',
    'x-generation-id',
    'x-litellm-call-id',
    'x-portkey-trace-id',
    'apim-request-id',
    'x-ds-trace-id',
    'cf-ray',
  ],
  /** A cache of whole answers answered: the value is, or ends in, `HIT`. */
  responseCache: ['x-portkey-cache-status', 'helicone-cache', 'cf-aig-cache-status', 'x-openrouter-cache-status'],
  /** The same, where the header is there at all. */
  responseCacheKey: ['x-litellm-cache-key'],
  /** US dollars. */
  costUsd: ['x-litellm-response-cost'],
} as const

type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface HeaderFacts {
  provider: string | undefined
  servedModel: string | undefined
  /** The gateway answered from a cache of whole answers. */
  responseCache: boolean
  /** USD, as the gateway reckons it. */
  costUsd: number | undefined
  gatewayRequestId: string | undefined
}

/** Facts from an answer's headers. Names are lower-case; of repeated lines the first counts. */
export function readAnswerHeaders(headers: Headers): HeaderFacts {
  return {
    provider: labelOf(headerOf(headers, answerHeaders.provider)),
    servedModel: labelOf(headerOf(headers, answerHeaders.servedModel), 128),
    responseCache: servedFromCache(headers),
    costUsd: dollarsOf(headerOf(headers, answerHeaders.costUsd)),
    gatewayRequestId: labelOf(headerOf(headers, answerHeaders.gatewayRequestId), 128),
  }
}

function servedFromCache(headers: Headers): boolean {
  if (headerOf(headers, answerHeaders.responseCacheKey) !== undefined) return true
  return answerHeaders.responseCache.some((name) => /(^|\s)hit$/i.test(headerOf(headers, [name]) ?? ''))
}

function headerOf(headers: Headers, names: readonly string[]): string | undefined {
  for (const name of names) {
    const lines = Object.hasOwn(headers, name) ? headers[name] : undefined
    const value = (typeof lines === 'string' ? lines : lines?.[0])?.trim()
    if (value) return value
  }
  return undefined
}

function dollarsOf(value: string | undefined): number | undefined {
  if (value === undefined || !/^\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return undefined
  const amount = Number(value)
  return Number.isFinite(amount) ? amount : undefined
}
