/** What the labels need of a generation's request. */
export interface RequestFacts {
  /** `undefined`: not found, or not a string. */
  readonly model: string | undefined
  /** `undefined`: the body does not say. */
  readonly stream: boolean | undefined
  readonly includeUsage: boolean | undefined
  /** `cache_control` keys at any depth whose value is not null. */
  readonly cacheControl: number
  readonly promptCacheKey: boolean
}

const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
const letterN = 0x6e
const letterT = 0x74
const letterF = 0x66

/** A key or a model name longer than this is none that we look for. */
const longestString = 512
const deepest = 200

/**
 * Reads the few keys that matter from a JSON body without parsing it: strings (prompts, images) are skipped by searching for their end, so
 * that tens of megabytes cost milliseconds. Never throws; of a body that is no JSON it tells what it saw so far. A key that stands twice counts
 * as the last one, as `JSON.parse` has it.
 */
export function scanRequest(body: Buffer): RequestFacts {
  let model: string | undefined
  let stream: boolean | undefined
  let includeUsage: boolean | undefined
  let cacheControl = 0
  let promptCacheKey = false
  /** Whether each open container is an object. */
  const objects: boolean[] = []
  /** Key of the value that comes next, of the innermost object; `undefined` in an array. */
  let key: string | undefined
  let expectKey = false
  let inStreamOptions = false
  let position = body.length >= 3 && body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0

  const sawValue = (text: string | boolean | null | undefined): void => {
    if (key === 'cache_control' && text !== null) cacheControl++
    if (objects.length === 1) {
      if (key === 'model') model = typeof text === 'string' ? text : undefined
      else if (key === 'stream') stream = typeof text === 'boolean' ? text : undefined
      else if (key === 'prompt_cache_key') promptCacheKey = text !== null
    } else if (objects.length === 2 && inStreamOptions && key === 'include_usage') {
      includeUsage = typeof text === 'boolean' ? text : undefined
    }
    key = undefined
  }

  while (position < body.length) {
    const byte = body[position] as number
    if (byte === quote) {
      const end = endOfString(body, position)
      if (end === -1) break
      const wanted = expectKey || (objects.length === 1 && key === 'model')
      const text = wanted ? stringAt(body, position, end) : undefined
      if (expectKey) {
        key = text ?? ''
        expectKey = false
      } else sawValue(text ?? '')
      position = end + 1
      continue
    }
    if (byte === openBrace || byte === openBracket) {
      const isStreamOptions = objects.length === 1 && key === 'stream_options' && byte === openBrace
      if (objects.length > 0) sawValue(undefined)
      objects.push(byte === openBrace)
      if (objects.length === 2) inStreamOptions = isStreamOptions
      if (objects.length > deepest) break
      expectKey = byte === openBrace
    } else if (byte === closeBrace || byte === closeBracket) {
      objects.pop()
      if (objects.length === 0) break
      expectKey = false
      key = undefined
    } else if (byte === comma) {
      expectKey = objects.at(-1) === true
      key = undefined
    } else if (key !== undefined && !expectKey) {
      if (byte === letterN) sawValue(null)
      else if (byte === letterT) sawValue(true)
      else if (byte === letterF) sawValue(false)
      else if (byte !== colon && byte > 0x20) sawValue(undefined)
    } else if (objects.length === 0 && byte > 0x20) break
    position++
  }
  return { model, stream, includeUsage, cacheControl, promptCacheKey }
}

/** Index of the closing quote of the string that opens at `start`; -1: none. */
function endOfString(body: Buffer, start: number): number {
  let end = body.indexOf(quote, start + 1)
  while (end !== -1) {
    let backslashes = 0
    while (body[end - 1 - backslashes] === backslash) backslashes++
    if (backslashes % 2 === 0) return end
    end = body.indexOf(quote, end + 1)
  }
  return -1
}

function stringAt(body: Buffer, start: number, end: number): string | undefined {
  if (end - start > longestString) return undefined
  const text = body.toString('utf8', start + 1, end)
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return undefined
  }
}
