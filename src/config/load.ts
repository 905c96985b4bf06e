import { dirname, resolve } from 'node:path'
import { layer } from './layers.ts'
import { type Flags, givenFor } from './overrides.ts'
import { ConfigError, type Problem, showPath } from './problems.ts'
import { type GatewayNeed, resolveConfig } from './resolve.ts'
import type { Config, ConfigInput } from './schema.ts'
import { readYamlFile } from './yaml-file.ts'

export interface Sources {
  /** Wins over `flags.config` and STREAMGAUGE_CONFIG. */
  readonly file?: string | undefined
  readonly env: NodeJS.ProcessEnv
  readonly flags?: Flags
  readonly gateway?: GatewayNeed
}

/** Flag, environment, file, default: the first that says something wins. All problems are found at once. */
export function loadConfig({
  file,
  env,
  flags = {},
  gateway = 'needed',
}: Sources): { config: Config } | { problems: Problem[] } {
  const path = file ?? givenFor('config', flags, env)?.value
  const read = path === undefined ? undefined : readYamlFile(path)
  if (read !== undefined && 'problems' in read) return read
  const layers = layer(read?.value, flags, env)
  const resolved = resolveConfig(
    layers.value,
    env,
    path === undefined ? process.cwd() : dirname(resolve(path)),
    gateway,
  )
  if ('config' in resolved) return resolved
  return {
    problems: resolved.faults.map((fault): Problem => {
      const origin = layers.originOf(fault.path)
      if (origin !== undefined) return { path: origin, message: fault.message }
      const inFile = layers.inFile(fault.path)
      return { path: showPath(inFile), message: fault.message, ...read?.positionOf(inFile) }
    }),
  }
}

/** The configuration made of this input and the defaults alone. Throws a ConfigError that tells all problems. */
export function configFrom(input: ConfigInput, env: NodeJS.ProcessEnv = {}): Config {
  const resolved = resolveConfig(input, env, process.cwd())
  if ('config' in resolved) return resolved.config
  throw new ConfigError(resolved.faults.map(({ path, message }) => ({ path: showPath(path), message })))
}
