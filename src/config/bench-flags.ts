import type { Path } from './problems.ts'
import { entriesOf, mappingOf } from './written.ts'

/** What the command line says, by option name; values as they were written. */
export interface BenchFlags {
  readonly text: Readonly<Record<string, string | undefined>>
  readonly texts: Readonly<Record<string, readonly string[] | undefined>>
}

/** Options that set one key each, and where. `[]` in a path: in every target. */
const optionPaths: Readonly<Record<string, string>> = {
  'base-url': 'targets.[].baseUrl',
  model: 'targets.[].models',
  'api-key-env': 'targets.[].apiKeyEnv',
  header: 'targets.[].headers',
  operation: 'targets.[].operation',
  'cache-hint': 'targets.[].cacheHint',
  prompt: 'prompts',
  'max-tokens': 'maxTokens',
  temperature: 'temperature',
  runs: 'runs',
  'prompt-mode': 'promptMode',
  concurrency: 'concurrency',
  rate: 'rate.perSecond',
  arrivals: 'rate.arrivals',
  requests: 'rate.requests',
  decide: 'decide',
  seed: 'seed',
}

/** Lays the command line over a plan. `--base-url` replaces the plan's targets; other options of targets hold for each. */
export function layFlags(plan: unknown, flags: BenchFlags): unknown {
  if (plan !== undefined && (typeof plan !== 'object' || plan === null || Array.isArray(plan))) return plan
  const value: Record<string, unknown> = { ...(plan as object) }
  const perTarget = targetFlags(flags)
  const urls = flags.texts['base-url']
  if (urls !== undefined) value['targets'] = urls.map((url) => ({ ...urlAndName(url), ...perTarget }))
  else if (Array.isArray(value['targets']) && Object.keys(perTarget).length > 0) {
    value['targets'] = entriesOf(value, 'targets').map((target) => ({
      ...mappingOf({ target }, 'target'),
      ...perTarget,
    }))
  }
  for (const [option, path] of Object.entries(optionPaths)) {
    const given = flags.texts[option] ?? flags.text[option]
    if (given === undefined || path.startsWith('targets.')) continue
    const [key, inner] = path.split('.') as [string, string | undefined]
    const read = readOption(option, given)
    value[key] = inner === undefined ? read : { ...mappingOf(value, key), [inner]: read }
  }
  return value
}

/** The option that set the value at a path, as people write it. */
export function optionAt(path: Path, flags: BenchFlags): string | undefined {
  const dotted = path.map((part) => (typeof part === 'number' ? '[]' : String(part))).join('.')
  const found = Object.entries(optionPaths).find(
    ([option, place]) =>
      (flags.text[option] !== undefined || flags.texts[option] !== undefined) &&
      (dotted === place || dotted.startsWith(`${place}.`)),
  )
  if (found !== undefined) return `--${found[0]}`
  // Nothing said where to go, or what to ask: the option that is missing is the better place.
  if (dotted === 'targets' && flags.text['plan'] === undefined) return '--base-url'
  return dotted === 'targets.[].models' && flags.texts['base-url'] !== undefined ? '--model' : undefined
}

function targetFlags({ text, texts }: BenchFlags): Record<string, unknown> {
  return {
    ...(texts['model'] !== undefined && { models: texts['model'] }),
    ...(text['api-key-env'] !== undefined && { apiKeyEnv: text['api-key-env'] }),
    ...(text['operation'] !== undefined && { operation: text['operation'] }),
    ...(text['cache-hint'] !== undefined && { cacheHint: text['cache-hint'] }),
    ...(texts['header'] !== undefined && { headers: Object.fromEntries(texts['header'].map(nameAndValue)) }),
  }
}

/** `NAME=URL`, or a URL alone. */
function urlAndName(written: string): { baseUrl: string; name?: string } {
  const [, name, url] = /^([\w.-]+)=(https?:.*)$/s.exec(written) ?? []
  return name === undefined ? { baseUrl: written } : { name, baseUrl: url as string }
}

function nameAndValue(line: string): [string, string] {
  const colon = line.indexOf(':')
  return colon < 0 ? [line, ''] : [line.slice(0, colon).trim(), line.slice(colon + 1).trim()]
}

function readOption(option: string, given: string | readonly string[]): unknown {
  if (typeof given !== 'string') return given
  if (option === 'concurrency' || option === 'rate') return given.split(',').map((part) => numeric(part.trim()))
  return numeric(given)
}

/** A number where one is written; else the text, for the schema to complain about. */
function numeric(written: string): number | string {
  return /^\d+(\.\d+)?$/.test(written) ? Number(written) : written
}
