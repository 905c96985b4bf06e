import type { builtInPromptNames } from '../config/bench-schema.ts'
import type { Prompt } from './prompt.ts'
import { seededRandom } from './random.ts'

export type BuiltInName = (typeof builtInPromptNames)[number]

const functionTask = `Write this TypeScript function, code alone:

/** Returns the longest run of equal neighbours in \`values\`; of several, the first. An empty list gives an empty list. */
function longestRun<T>(values: readonly T[]): T[]`

const contextTask = `Add a function \`total\` to the last module above that sums what \`measure\` returns for each entry of a list, skipping entries
that are not finite. Answer with the changed module alone.`

/** About four code points are a token of source code. */
const codePointsPerToken = 4

const verbs = ['read', 'measure', 'merge', 'trim', 'scale', 'sort', 'count', 'split', 'fill', 'shift', 'clamp', 'pick']
const nouns = ['level', 'gauge', 'river', 'bank', 'stage', 'flow', 'depth', 'basin', 'weir', 'delta', 'spring', 'lock']
const types = ['number', 'string', 'boolean', 'Date', 'Uint8Array', 'readonly number[]']

export function builtInPrompt(name: BuiltInName): Prompt {
  if (name === 'function') return { name, texts: [{ context: '', task: functionTask }] }
  const tokens = Number(name.replace('k', '')) * 1024
  // A tenth more: what providers cache begins at 1024 tokens, and tokenizers differ.
  return { name, texts: [{ context: sourceCode(Math.round(tokens * 1.1) * codePointsPerToken), task: contextTask }] }
}

/** Modules of made-up code, the same every time: a real repository would be in some model's memory. */
function sourceCode(length: number): string {
  const random = seededRandom('context')
  const pick = (list: readonly string[]): string => list[Math.floor(random() * list.length)] as string
  const parts: string[] = ['The modules of a project, one after another.\n']
  let written = (parts[0] as string).length
  for (let module = 1; written < length; module++) {
    const [noun, other] = [pick(nouns), pick(nouns)]
    const functions = Array.from({ length: 4 }, (_, at) => {
      const name = `${pick(verbs)}${capital(noun)}${at}`
      const [first, second] = [pick(types), pick(types)]
      return `/** ${capital(pick(verbs))}s the ${noun} by its ${other}. */
export function ${name}(${noun}: ${first}, ${other}: ${second}): ${pick(types)} {
  const ${pick(verbs)}ed = ${pick(verbs)}(${noun}, ${Math.floor(random() * 1000)})
  return ${pick(verbs)}(${other}) ?? ${noun}
}
`
    })
    const text = `\n// ${noun}/${other}-${module}.ts\n${functions.join('\n')}`
    parts.push(text)
    written += text.length
  }
  return parts.join('').slice(0, length)
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
