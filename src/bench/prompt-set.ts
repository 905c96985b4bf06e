import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { type BuiltInName, builtInPrompt } from './built-in-prompts.ts'
import type { Prompt, PromptText } from './prompt.ts'

/** Reads the prompts of a plan. Finds every fault; never repeats what stands in a file. */
export function loadPrompts(names: readonly string[]): { prompts: Prompt[] } | { problems: string[] } {
  const problems: string[] = []
  const prompts = names.flatMap((name): Prompt[] => {
    if (!/[/\\]/.test(name)) return [builtInPrompt(name as BuiltInName)]
    const read = readPromptFile(name)
    if (typeof read === 'string') problems.push(`--prompt: ${name} ${read}`)
    else return [read]
    return []
  })
  return problems.length > 0 ? { problems } : { prompts }
}

function readPromptFile(file: string): Prompt | string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const builtIn = 'function, 1k, 8k, 32k or a file'
    return code === 'ENOENT' ? `does not exist; expected ${builtIn}` : `cannot be read (${code}); expected ${builtIn}`
  }
  const name = basename(file)
  if (!file.endsWith('.jsonl')) {
    return text.trim() === '' ? 'is empty; expected a prompt' : { name, texts: [{ context: '', task: text }] }
  }
  const texts: PromptText[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const read = readLine(line)
    if (read === undefined) return `has no {"prompt": "…"} in line ${index + 1}; expected one in every line`
    texts.push(read)
  }
  return texts.length === 0 ? 'is empty; expected one {"prompt": "…"} a line' : { name, texts }
}

function readLine(line: string): PromptText | undefined {
  try {
    const { prompt, context = '' } = JSON.parse(line) as { prompt?: unknown; context?: unknown }
    return typeof prompt === 'string' && prompt !== '' && typeof context === 'string'
      ? { context, task: prompt }
      : undefined
  } catch {
    return undefined
  }
}
