import type { BenchTarget } from '../config/bench-schema.ts'
import type { StreamMeasurement } from '../measurement/stream-measurement.ts'
import type { Measured } from './bench-exchange.ts'

/** Why nothing can be measured at a target (`problem`), or what should be known of it (`note`). Never holds a key or what a gateway wrote. */
export function problemOf(
  { measurement, refusal }: Measured,
  target: BenchTarget,
  model: string,
  attempts: number,
): { problem: string | null; note?: string } {
  const { outcome, status, error } = measurement
  const url = target.baseUrl.replace(/[?#].*$/s, '')
  const fatal = (problem: string) => ({ problem: `${target.name}, ${model}: ${problem}` })
  const label = error === undefined ? '' : `, ${error}`
  if (status !== undefined && status >= 300 && status < 400) {
    return fatal(`${url} redirects (${status}), which no client of such an API follows; use the URL that it leads to`)
  }
  switch (outcome) {
    case 'ok':
      return isAnswer(measurement)
        ? { problem: null }
        : fatal(`${url} answers ${status}, but with nothing that ${target.operation} would say; is it the right URL?`)
    case 'client_abort':
      return { problem: null }
    case 'gateway_timeout':
      return fatal(`${url} did not answer in time (${error}); is it the right URL? Longer limits: timeouts in a plan`)
    case 'http_4xx':
      return fatal(refused(status as number, label, refusal, target, model, url))
    default:
  }
  if (status === undefined)
    return fatal(`${url} cannot be reached (${error}); is the gateway running, is the URL right?`)
  if (status === 502 || status === 503 || status === 504) {
    return fatal(`${url} answers ${status} (${error}): what stands behind it is down or cannot be reached`)
  }
  return { problem: null, note: `it failed ${attempts} times in the preflight (${outcome}${label}): expect failures` }
}

/** A web page answers 200, too. */
function isAnswer({ output, tokens, finishReason }: StreamMeasurement): boolean {
  const chars = output.contentChars + output.reasoningChars + output.toolChars
  return chars > 0 || output.all.events > 0 || tokens !== undefined || finishReason !== undefined
}

function refused(
  status: number,
  label: string,
  refusal: string,
  target: BenchTarget,
  model: string,
  url: string,
): string {
  if (status === 401 || status === 403) {
    return target.apiKey === ''
      ? `${url} wants a key (${status}${label}); name the variable that holds it: --api-key-env OPENAI_API_KEY`
      : `${url} refuses the key (${status}${label}); look at the variable that --api-key-env names`
  }
  const aboutModel = /model/i.test(refusal)
  if (
    (status === 404 || status === 400) &&
    aboutModel &&
    /not.?found|not exist|unknown|invalid|not a valid|unsupported|no such/i.test(refusal)
  ) {
    return `${url} knows no model ${JSON.stringify(model)} (${status}${label}); GET ${url}/models may list what there is`
  }
  if (status === 404 || status === 405) {
    return `${url} has no ${target.operation} API (${status}${label}); the base URL is what an OpenAI client would use, usually ending in /v1`
  }
  if (status === 402) return `${url} wants to be paid first (402${label})`
  return `${url} refuses the request (${status}${label}); what does its own log say?`
}
