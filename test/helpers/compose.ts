import { parse } from 'yaml'
import { readSource } from './repository.ts'

export interface ComposeService {
  readonly image: string
  readonly build?: string
  readonly pull_policy?: string
  readonly profiles?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string | number>>
  readonly env_file?: readonly { path: string; required: boolean }[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { condition: string }>>
  readonly healthcheck: { readonly test: readonly string[] }
  readonly stop_grace_period?: string
  readonly user?: string
  readonly privileged?: boolean
}

export interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

const variable = /\$\{([A-Z_]+):-([^}]*)\}/g

/** Variables as `${NAME:-default}` and their defaults, as they stand in the file. */
export function composeVariables(text = readSource('docker-compose.yml')): Map<string, string> {
  return new Map([...text.matchAll(variable)].map(([, name, value]) => [name as string, value as string]))
}

/** The file as compose reads it: anchors merged, then variables filled in from `env`, else with their defaults. */
export function readCompose(env: Readonly<Record<string, string>> = {}): ComposeFile {
  const fill = (_: string, value: unknown): unknown =>
    typeof value === 'string'
      ? value.replaceAll(variable, (_, name: string, standard: string) => env[name] || standard)
      : value
  const file = parse(readSource('docker-compose.yml'), { merge: true, uniqueKeys: true })
  return JSON.parse(JSON.stringify(file), fill)
}
