/**
 * Whether an answer bears a transfer coding besides `chunked`; we ask for none. Such a coding ends at each hop (RFC 9112, section 6.1): passed on
 * without its name, the bytes under it would be another answer. `identity` (RFC 2616) says nothing.
 *
 * @param rawHeaders flat list, as undici's controller has it
 */
export function isCodedAnswer(rawHeaders: unknown): boolean {
  if (!Array.isArray(rawHeaders)) return false
  const codings: string[] = []
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as Buffer | string
    if (name.length !== 17 || textOf(name).toLowerCase() !== 'transfer-encoding') continue
    for (const coding of textOf(rawHeaders[i + 1]).split(',')) {
      if (coding.trim() !== '') codings.push(coding.trim().toLowerCase())
    }
  }
  return codings.length > 1 || codings.some((coding) => coding !== 'chunked' && coding !== 'identity')
}

function textOf(value: Buffer | string): string {
  return typeof value === 'string' ? value : value.toString('latin1')
}
