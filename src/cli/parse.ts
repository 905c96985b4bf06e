import { parseArgs } from 'node:util'
import { nearest } from '../config/nearest.ts'
import type { Command, Invocation } from './command.ts'

export type Parsed = Pick<Invocation, 'text' | 'texts' | 'flags' | 'operands'>

/** The words after the command's name; or every fault in them. `--help` is known to all commands. */
export function parse(words: readonly string[], command: Command): Parsed | { faults: string[] } {
  const known = new Map(command.options.map((option) => [option.name, option]))
  const { tokens } = parseArgs({
    args: [...words],
    options: {
      help: { type: 'boolean', short: 'h' },
      ...Object.fromEntries(
        command.options.map(({ name, kind }) => [
          name,
          { type: kind === 'flag' ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
    },
    strict: false,
    tokens: true,
  })
  const faults: string[] = []
  const text: Record<string, string> = {}
  const texts: Record<string, string[]> = {}
  const flags: Record<string, boolean> = {}
  const operands: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value)
    if (token.kind !== 'option') continue
    const option = known.get(token.name)
    const { value } = token
    if (token.name === 'help') flags['help'] = true
    else if (option === undefined) faults.push(unknown(token.rawName, [...known.keys(), 'help']))
    else if (option.kind === 'flag') {
      if (value !== undefined) faults.push(`${token.rawName} takes no value`)
      flags[token.name] = true
    } else if (value === undefined || (!token.inlineValue && /^-./.test(value))) {
      faults.push(`${token.rawName} needs a value: ${token.rawName} ${option.placeholder ?? 'VALUE'}`)
    } else if (option.kind === 'texts') {
      texts[token.name] = [...(texts[token.name] ?? []), value]
    } else if (text[token.name] !== undefined) faults.push(`${token.rawName} is given twice; expected once`)
    else text[token.name] = value
  }
  if (flags['help'] === true) return { text, texts, flags, operands }
  const missing = command.operands.slice(operands.length)
  if (missing.length > 0) faults.push(`${missing.join(' ')} is missing`)
  for (const extra of operands.slice(command.operands.length))
    faults.push(`${JSON.stringify(extra)} is one word too many`)
  return faults.length > 0 ? { faults } : { text, texts, flags, operands }
}

function unknown(written: string, known: readonly string[]): string {
  const meant = nearest(written.replace(/^-+/, ''), known)
  return `unknown option ${written}${meant === undefined ? '' : `; did you mean --${meant}?`}`
}
