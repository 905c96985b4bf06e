import type { StreamMeasurement } from '../measurement/stream-measurement.ts'

/** Shorter than this a text is no key, and much would be taken for it. */
const shortestSecret = 8
/** So much of a key, or its beginning at the end of a label that was cut, gives it away. */
const tellingPart = 12
const mask = '…'

/** What looks like a key, whoever's it is. */
const keyLike = /\b(?:sk|pk|rk|xai|gsk|hf|ghp)[-_][\w-]{8,}|\bAIza[\w-]{20,}|\bbearer\s+\S{8,}/gi

/**
 * Labels are the gateway's words, and gateways quote keys ("Incorrect API key provided: …"): a record bears none.
 *
 * @param secrets what was sent as a key with this exchange
 */
export function withoutSecrets(m: StreamMeasurement, secrets: readonly string[]): StreamMeasurement {
  const clean = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : secrets.reduce(withoutSecret, text)
  const error = m.error === undefined ? undefined : clean(m.error.replace(keyLike, mask))
  const finishReason = clean(m.finishReason)
  const servedModel = clean(m.servedModel)
  const provider = clean(m.provider)
  const gatewayRequestId = clean(m.gatewayRequestId)
  const same =
    error === m.error &&
    finishReason === m.finishReason &&
    servedModel === m.servedModel &&
    provider === m.provider &&
    gatewayRequestId === m.gatewayRequestId
  return same ? m : Object.freeze({ ...m, error, finishReason, servedModel, provider, gatewayRequestId })
}

function withoutSecret(text: string, secret: string): string {
  if (secret.length < shortestSecret) return text
  const start = text.indexOf(secret.slice(0, shortestSecret))
  if (start === -1) return text
  let length = shortestSecret
  while (length < secret.length && text[start + length] === secret[length]) length++
  const tells = length === secret.length || length >= tellingPart || start + length === text.length
  return tells ? text.slice(0, start) + mask + withoutSecret(text.slice(start + length), secret) : text
}
