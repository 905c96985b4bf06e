import type * as z from 'zod'
import { nearest } from './nearest.ts'
import { keysAt } from './schema-keys.ts'

/** One fault of a configuration. */
export interface Problem {
  /** Where: `gateways[0].url`, `--port`, `STREAMGAUGE_PORT`; `''` where the whole is meant. */
  readonly path: string
  /** What is wrong and what was expected. Never holds a secret. */
  readonly message: string
  /** In the file, from 1. */
  readonly line?: number
  readonly column?: number
}

export type Path = readonly PropertyKey[]

/** A problem with its path still in parts. */
export interface Fault {
  readonly path: Path
  readonly message: string
}

export function faultsOf(error: z.ZodError, schema: z.ZodType): Fault[] {
  return error.issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys') {
      const known = keysAt(schema, issue.path)
      return issue.keys.map((key) => ({ path: [...issue.path, key], message: unknownKey(key, known) }))
    }
    if (issue.code === 'invalid_key') {
      const key = String(issue.path.at(-1))
      return [{ path: issue.path, message: unknownKey(key, keysAt(schema, issue.path.slice(0, -1))) }]
    }
    return [{ path: issue.path, message: issue.message }]
  })
}

function unknownKey(key: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  if (meant !== undefined) return `is no known key; did you mean ${JSON.stringify(meant)}?`
  return known.length === 0 ? 'is no known key' : `is no known key; expected one of ${known.join(', ')}`
}

/** `gateways[0].headers["x-title"]`. */
export function showPath(path: Path): string {
  return path.reduce<string>((shown, part) => {
    if (typeof part === 'number') return `${shown}[${part}]`
    const name = String(part)
    if (!/^[A-Za-z_]\w*$/.test(name)) return `${shown}[${JSON.stringify(name)}]`
    return shown === '' ? name : `${shown}.${name}`
  }, '')
}

/** One line for people. */
export function showProblem(problem: Problem): string {
  const place = problem.line === undefined ? '' : ` (line ${problem.line}, column ${problem.column})`
  return `${problem.path === '' ? 'configuration' : problem.path}: ${problem.message}${place}`
}

/** Thrown by `configFrom`. */
export class ConfigError extends Error {
  readonly problems: readonly Problem[]

  constructor(problems: readonly Problem[]) {
    super(problems.map(showProblem).join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}
