import { dirname, resolve } from 'node:path'
import { type BenchFlags, layFlags, optionAt } from './bench-flags.ts'
import { type BenchPlan, type BenchTarget, benchSchema, builtInPromptNames } from './bench-schema.ts'
import { deepFreeze } from './freeze.ts'
import { readHeaders } from './gateway-headers.ts'
import { type Fault, faultsOf, type Problem, showPath } from './problems.ts'
import { readCa, readKey } from './resolve.ts'
import { entriesOf, mappingOf, withoutNothing } from './written.ts'
import { readYamlFile } from './yaml-file.ts'

/** The plan of a bench: options over file over defaults. All problems are found at once. */
export function loadBenchPlan(
  flags: BenchFlags,
  env: NodeJS.ProcessEnv,
): { plan: BenchPlan } | { problems: Problem[] } {
  const file = flags.text['plan']
  const read = file === undefined ? undefined : readYamlFile(file)
  if (read !== undefined && 'problems' in read) return read
  const folder = file === undefined ? process.cwd() : dirname(resolve(file))
  const input = withoutNothing(layFlags(read?.value, flags))
  const parsed = benchSchema.safeParse(input)
  const faults: Fault[] = parsed.success ? [] : faultsOf(parsed.error, benchSchema)
  const secrets = entriesOf(input, 'targets').map((target, index) => secretsOf(target, index, folder, env, faults))
  if (parsed.success) faults.push(...sameNames(parsed.data.targets))
  if (!parsed.success || faults.length > 0) {
    return {
      problems: faults.map(({ path, message }): Problem => {
        const option = optionAt(path, flags)
        return option === undefined
          ? { path: showPath(path), message, ...read?.positionOf(path) }
          : { path: option, message }
      }),
    }
  }
  const named = parsed.data.targets.map((target) => ({ ...target, name: target.name || new URL(target.baseUrl).host }))
  const targets = named.map(({ apiKeyEnv: _, ...target }, index): BenchTarget => {
    const { headers, apiKey, ca } = secrets[index] as Secrets
    return { ...target, headers, apiKey, tls: { ...target.tls, ca } }
  })
  const ownPrompts = flags.texts['prompt'] === undefined ? folder : process.cwd()
  const prompts = parsed.data.prompts.map((prompt) => (isBuiltIn(prompt) ? prompt : resolve(ownPrompts, prompt)))
  return { plan: deepFreeze({ ...parsed.data, targets, prompts }) }
}

interface Secrets {
  readonly headers: Record<string, string>
  readonly apiKey: string
  readonly ca: string
}

function secretsOf(target: unknown, index: number, folder: string, env: NodeJS.ProcessEnv, faults: Fault[]): Secrets {
  const at = ['targets', index]
  const { headers, faults: wrong } = readHeaders(mappingOf(target, 'headers'), [...at, 'headers'], env)
  faults.push(...wrong)
  return { headers, apiKey: readKey(target, at, env, faults), ca: readCa(target, at, folder, faults) }
}

/** Two targets with one name could not be told apart in the results. */
function sameNames(targets: readonly { name: string; baseUrl: string; models: readonly string[] }[]): Fault[] {
  const seen = new Set<string>()
  return targets.flatMap((target, index): Fault[] =>
    target.models.flatMap((model) => {
      const key = `${target.name || new URL(target.baseUrl).host} ${model}`
      if (!seen.has(key)) {
        seen.add(key)
        return []
      }
      const message = `has the name and the model of an earlier target; expected another name (--base-url NAME=URL)`
      return [{ path: ['targets', index, target.name === '' ? 'baseUrl' : 'name'], message }]
    }),
  )
}

function isBuiltIn(prompt: string): boolean {
  return (builtInPromptNames as readonly string[]).includes(prompt)
}
