import { type Flags, given, givenFor, overrides } from './overrides.ts'
import type { Path } from './problems.ts'
import { entriesOf, mappingOf } from './written.ts'

/** Name of the gateway that `--gateway` and STREAMGAUGE_GATEWAY set. */
export const flagGatewayName = 'default'

export interface Layers {
  readonly value: unknown
  /** The flag or variable that set the value at a path of `value`, if one did. */
  originOf(path: Path): string | undefined
  /** The path in the file for a path in `value`. */
  inFile(path: Path): Path
}

/** Puts flags and environment over what the file says. */
export function layer(file: unknown, flags: Flags, env: NodeJS.ProcessEnv): Layers {
  const origins = new Map<string, string>()
  const value: Record<string, unknown> = { ...mappingOf({ file }, 'file') }
  for (const override of overrides) {
    const set = given(override, flags, env)
    if (override.key === undefined || set === undefined) continue
    const [section, key] = override.key
    const whole = /^\d{1,9}$/.test(set.value) && key === 'port'
    // A section that is no mapping is left as it is: that fault is told first.
    if (typeof (value[section] ?? {}) !== 'object' || Array.isArray(value[section])) continue
    value[section] = { ...mappingOf(value, section), [key]: whole ? Number(set.value) : set.value }
    origins.set(`${section}.${key}`, set.origin)
  }
  const gateway = givenFor('gateway', flags, env)
  const listed = entriesOf(value, 'gateways')
  const fileIndexes: (number | undefined)[] = [...listed.keys()]
  if (gateway !== undefined && Array.isArray(value['gateways'] ?? [])) {
    const same = listed.findIndex((entry) => mappingOf({ entry }, 'entry')['name'] === flagGatewayName)
    const others = listed.filter((_, index) => index !== same)
    value['gateways'] = [
      { ...mappingOf({ entry: listed[same] }, 'entry'), name: flagGatewayName, url: gateway.value },
      ...others,
    ]
    if (same >= 0) fileIndexes.splice(same, 1)
    fileIndexes.unshift(same >= 0 ? same : undefined)
    origins.set('gateways.0.url', gateway.origin)
  }
  return {
    value: isMappingOrNothing(file) ? value : file,
    originOf: (path) => origins.get(path.map(String).join('.')),
    inFile: (path) => {
      const [first, index, ...rest] = path
      if (first !== 'gateways' || typeof index !== 'number') return path
      return [first, fileIndexes[index] ?? index, ...rest]
    },
  }
}

function isMappingOrNothing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'object' && !Array.isArray(value))
}
