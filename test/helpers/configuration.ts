import type { TestContext } from 'node:test'
import { loadConfig, type Sources } from '../../src/config/load.ts'
import { type Problem, showProblem } from '../../src/config/problems.ts'
import type { Config } from '../../src/config/schema.ts'
import { temporaryFile } from './temporary-folder.ts'

export type FromYaml = Partial<Pick<Sources, 'env' | 'flags' | 'gateway'>>

/** The problems of a YAML text, as people see them. */
export function problemsOf(t: TestContext, yaml: string, sources: FromYaml = {}): string[] {
  return problems(t, yaml, sources).map(showProblem)
}

export function problems(t: TestContext, yaml: string | Uint8Array, sources: FromYaml = {}): Problem[] {
  const loaded = loadConfig({ env: {}, ...sources, file: temporaryFile(t, 'streamgauge.yaml', yaml) })
  return 'problems' in loaded ? loaded.problems : []
}

/** The configuration of a YAML text that has no problem. */
export function configOf(t: TestContext, yaml: string, sources: FromYaml = {}): Config {
  const loaded = loadConfig({ env: {}, ...sources, file: temporaryFile(t, 'streamgauge.yaml', yaml) })
  if ('problems' in loaded) throw new Error(loaded.problems.map(showProblem).join('\n'))
  return loaded.config
}

export const oneGateway = 'gateways: [{ name: main, url: https://gateway.test/v1 }]\n'
