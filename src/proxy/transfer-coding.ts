/** Whether an answer bears a transfer coding besides `chunked`: we ask for none. `raw`: as undici's controller has it. */
export function isCodedAnswer(raw: unknown): boolean {
  return Array.isArray(raw) && hasForeignCoding(raw as (Buffer | string)[])
}

/**
 * Whether a message bears a transfer coding besides `chunked`. Such a coding ends at each hop (RFC 9112, section 6.1): passed on without its
 * name, the bytes under it would be another message. `identity` (RFC 2616) says nothing.
 *
 * @param raw flat list of names and values as received
 */
function hasForeignCoding(raw: readonly (Buffer | string)[]): boolean {
  const codings = transferCodings(raw)
  return codings.some((coding) => coding !== 'chunked' && coding !== 'identity') || codings.length > 1
}

/** The same of a request, where its end can be told: one that does not end in `chunked` is malformed, and Node's parser says so. */
export function isCodedRequest(raw: readonly string[]): boolean {
  return transferCodings(raw).at(-1) === 'chunked' && hasForeignCoding(raw)
}

function transferCodings(raw: readonly (Buffer | string)[]): string[] {
  const codings: string[] = []
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as Buffer | string
    if (name.length !== 17 || textOf(name).toLowerCase() !== 'transfer-encoding') continue
    for (const coding of textOf(raw[i + 1] as Buffer | string).split(',')) {
      if (coding.trim() !== '') codings.push(coding.trim().toLowerCase())
    }
  }
  return codings
}

function textOf(value: Buffer | string): string {
  return typeof value === 'string' ? value : value.toString('latin1')
}
