import { hasControl } from './leaf-values.ts'
import type { Fault, Path } from './problems.ts'

/** Lines that belong to one connection or are made by the HTTP client itself. RFC 9110, section 7.6.1. */
const ofTheConnection = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]+$/
const secretName = /authorization|api-?key|token|secret|password|cookie|(^|-)(auth|key|credential)s?$/i
const secretValue = /^(bearer|basic)\s+\S|\b(sk|pk|xai|gsk|hf)[-_][\w-]{8,}|\bAIza[\w-]{20,}/i
const reference = /\$\$\{|\$\{([^}]*)\}?/g

/** Whether a header of this name holds a credential. */
export function isCredential(name: string): boolean {
  return secretName.test(name)
}

/** Names in lower case, `${ENV}` replaced. Faults never repeat a value. */
export function readHeaders(
  headers: Readonly<Record<string, unknown>>,
  at: Path,
  env: NodeJS.ProcessEnv,
): { headers: Record<string, string>; faults: Fault[] } {
  const faults: Fault[] = []
  const read: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const say = (message: string) => faults.push({ path: [...at, name], message })
    const lower = name.toLowerCase()
    const nameFault = faultOfName(name, lower)
    if (nameFault !== undefined) say(nameFault)
    if (Object.hasOwn(read, lower)) say('is given twice (names differ only in case); expected one')
    if (typeof value !== 'string') continue
    const literal = value.replace(reference, (found) => (found === '$${' ? found : ''))
    if (literal === value && isCredential(lower) && value !== '') {
      say('holds a secret in the file; expected it from the environment, such as ${MY_KEY}')
    } else if (secretValue.test(literal)) {
      say('holds what looks like a key; expected it from the environment, such as ${MY_KEY}')
    }
    const expanded = expand(value, env, say)
    if (expanded !== undefined) {
      const valueFault = faultOfValue(expanded)
      if (valueFault !== undefined) say(valueFault)
    }
    read[lower] = expanded ?? ''
  }
  return { headers: read, faults }
}

/** `undefined` where a variable is missing; `say` was told. */
export function expand(value: string, env: NodeJS.ProcessEnv, say: (message: string) => unknown): string | undefined {
  let complete = true
  const expanded = value.replace(reference, (found, name: string | undefined) => {
    if (found === '$${') return '${'
    const filled = name !== undefined && Object.hasOwn(env, name) ? env[name] : undefined
    if (found.endsWith('}') && /^[A-Za-z_]\w*$/.test(name ?? '') && filled !== undefined && filled !== '') return filled
    complete = false
    if (!found.endsWith('}') || !/^[A-Za-z_]\w*$/.test(name ?? '')) {
      say(
        'has a ${ that is no ${NAME}; expected the name of an environment variable in it, or $${ for the characters themselves',
      )
    } else {
      say(
        `needs the environment variable ${name}, which is ${filled === undefined ? 'not set' : 'empty'}; expected a value`,
      )
    }
    return ''
  })
  return complete ? expanded : undefined
}

function faultOfName(name: string, lower: string): string | undefined {
  if (!token.test(name)) return 'is no header name; expected letters, digits and "-"'
  if (ofTheConnection.has(lower)) return 'belongs to the connection and cannot be set; expected another header'
  return undefined
}

function faultOfValue(value: string): string | undefined {
  if (value === '') return 'is empty; expected a value'
  if (value !== value.trim()) return 'begins or ends with a space; expected a value without'
  if (hasControl(value.replaceAll('\t', ' ')))
    return 'has a control character (a line break?); expected one line of text'
  if (/[\u0100-\uffff]/.test(value)) return 'has characters beyond Latin-1, which a header cannot carry; expected none'
  return undefined
}
