import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { duration } from '../../src/monitoring/duration.ts'
import { repository } from './repository.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** A series as promtool's unit tests take it: one value each interval, `undefined` where there is no sample. */
export interface Series {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly values: readonly (number | undefined)[]
}

export interface Firing {
  /** Seconds after the first sample. */
  readonly time: number
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

export interface RuleTest {
  readonly series: readonly Series[]
  /** Seconds between two samples. */
  readonly interval: number
  /** Seconds between two evaluations; a multiple of the interval, or a divisor. */
  readonly evaluate: number
  /** When to look, seconds after the first sample. */
  readonly times: readonly number[]
  /** Only these alerts. Default: all. */
  readonly alerts?: readonly string[]
}

const folder = join(repository, 'config/prometheus/rules')
/** Paths of the committed files of rules, absolute. */
export const committedRules: readonly string[] = readdirSync(folder)
  .sort()
  .map((name) => join(folder, name))

export const labelText = (labels: Readonly<Record<string, string>>): string =>
  `{${Object.entries(labels)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}}`

/** Runs of one value, and of none, in short. */
function valuesText(values: Series['values']): string {
  const parts: string[] = []
  for (let index = 0; index < values.length; ) {
    const value = values[index]
    let next = index + 1
    while (next < values.length && values[next] === value) next++
    const times = next - index
    if (value === undefined) parts.push(times === 1 ? '_' : `_x${times}`)
    else parts.push(times === 1 ? String(value) : `${value}+0x${times - 1}`)
    index = next
  }
  return parts.join(' ')
}

/** Alerts that fire at the times given, as `promtool test rules` tells: it is told to expect none, and says what there was. */
export function firingAlerts(t: TestContext, test: RuleTest, rules = committedRules): Firing[] {
  const names = test.alerts ?? alertNames(rules)
  const file = join(temporaryFolder(t), 'test.json')
  const content = {
    rule_files: rules,
    evaluation_interval: duration(test.evaluate),
    tests: [
      {
        interval: duration(test.interval),
        input_series: test.series.map(({ name, labels, values }) => ({
          series: name + labelText(labels),
          values: valuesText(values),
        })),
        alert_rule_test: test.times.flatMap((time) =>
          names.map((alertname) => ({ eval_time: duration(time), alertname, exp_alerts: [] })),
        ),
      },
    ],
  }
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(content))
  const { stdout, stderr, status } = spawnSync('promtool', ['test', 'rules', file], {
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status === 0) return []
  const found = firingIn(stdout + stderr)
  if (found.length === 0) throw new Error(`promtool failed:\n${(stdout + stderr).slice(0, 4000)}`)
  return found
}

const quotedPairs = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/([a-zA-Z_]\w*)=("(?:[^"\\]|\\.)*")/g)].map(([, name, value]) => [
      name as string,
      JSON.parse(value as string) as string,
    ]),
  )

function firingIn(output: string): Firing[] {
  const found: Firing[] = []
  let time = 0
  let labels: Record<string, string> = {}
  for (const line of output.split('\n')) {
    const head = /^\s*alertname:\s*\S+, time: (\S+),/.exec(line)
    if (head !== null) time = secondsOf(head[1] as string)
    const shown = /^\s*Labels:\{(.*)\}$/.exec(line)
    if (shown !== null) labels = quotedPairs(shown[1] as string)
    const annotations = /^\s*Annotations:\{(.*)\}/.exec(line)
    if (annotations !== null) found.push({ time, labels, annotations: quotedPairs(annotations[1] as string) })
  }
  return found
}

const unitSeconds: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 }

function secondsOf(text: string): number {
  return [...text.matchAll(/(\d+)([dhms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unitSeconds[unit as string] as number),
    0,
  )
}

export function alertNames(rules = committedRules): string[] {
  const { stdout } = spawnSync('grep', ['-ho', 'alert: .*', ...rules], { encoding: 'utf8' })
  return [
    ...new Set(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.replace('alert: ', '')),
    ),
  ]
}
