import { duration } from './duration.ts'
import { lines, perModel, prefix } from './promql.ts'
import type { Alert, RecordingRule, RuleGroup } from './rule.ts'
import type { MonitoringSettings, ShiftLevel } from './settings.ts'

/**
 * A histogram whose whole distribution is compared with that of the same time a day and a week ago.
 *
 * D is the largest difference, over all bounds, between the cumulative share then and now: 0 if nothing changed, 1 if no stream is like before. It needs no
 * threshold for a model, and no interpolation: bounds are exact. Streams of now are held against then's of the same operation and app, and then's
 * counted as many times as now has them: a shift of traffic between apps is none in speed. An app without a past is left out.
 * K is D in units of its standard error. It must be large, too: thin traffic shows large D by chance, heavy traffic large K for trifles.
 */
interface Compared {
  readonly about: string
  readonly metric: string
  readonly worse: 'higher' | 'lower'
  readonly alert: string
  readonly title: string
  readonly unit: 'seconds' | 'rate'
}

const ttft: Compared = {
  about: 'ttft',
  metric: 'time_to_first_token_seconds',
  worse: 'higher',
  alert: 'StreamgaugeTtftRegression',
  title: 'Time to first token',
  unit: 'seconds',
}

const tokenRate: Compared = {
  about: 'tokens_per_second',
  metric: 'output_tokens_per_second',
  worse: 'lower',
  alert: 'StreamgaugeTokenRateDrop',
  title: 'Tokens per second',
  unit: 'rate',
}

/** Name of the recorded increase of the buckets, by set of labels. */
export const bucketIncrease = (metric: string, window: number): string =>
  `set:${prefix}${metric.replace(/_seconds$/, '')}:increase${duration(window)}`

interface Comparison {
  readonly window: number
  readonly against: number
  /** How long ago. */
  readonly baseline: number
}

const comparisonName = ({ window, against, baseline }: Comparison): string =>
  `${duration(window)}_against_${duration(against)}_${duration(baseline)}_ago`

const shiftName = ({ about }: Compared, comparison: Comparison): string =>
  `model:${prefix}${about}_shift:${comparisonName(comparison)}`

const significanceName = ({ about }: Compared, comparison: Comparison): string =>
  `model:${prefix}${about}_shift_significance:${comparisonName(comparison)}`

/** The two recording rules of a comparison. */
function comparisonRules(compared: Compared, comparison: Comparison, leastBaseline: number): RecordingRule[] {
  const { window, against, baseline } = comparison
  const now = bucketIncrease(compared.metric, window)
  // Then's window is longer than a short one of now, and lies around the same time of day: a trend within the day falls out.
  const back = ` offset ${duration(window === against ? baseline : baseline - against / 2)}`
  const before = bucketIncrease(compared.metric, against)
  const all = '{le="+Inf"}'
  const usable = `(${before}${all}${back} > 0)`
  const matched = `sum by (${perModel}) (${now}${all} and ${usable})`
  const difference =
    compared.worse === 'higher'
      ? `${before}${back} * ignoring (le) group_left () (${now}${all} / ${usable}) - ${now}`
      : `${now} - ${before}${back} * ignoring (le) group_left () (${now}${all} / ${usable})`
  const shift = shiftName(compared, comparison)
  return [
    {
      record: shift,
      expr: lines(
        `max by (${perModel}) (`,
        `  sum by (${perModel}, le) (${difference})`,
        `  / on (${perModel}) group_left () (${matched} > 0)`,
        ')',
        `and on (${perModel}) sum by (${perModel}) (${before}${all}${back}) >= ${leastBaseline}`,
      ),
    },
    {
      record: significanceName(compared, comparison),
      expr: lines(
        `${shift} * ${matched}`,
        `/ (${matched} + sum by (${perModel}) (${now}${all} ^ 2 / ${usable})) ^ 0.5`,
      ),
    },
  ]
}

/** Both windows against one baseline: effect and significance. */
function condition(compared: Compared, level: ShiftLevel, baseline: number): string {
  const long: Comparison = { window: level.long, against: level.long, baseline }
  const short: Comparison = { window: level.short, against: level.long, baseline }
  return [
    `${shiftName(compared, long)} > ${level.effect}`,
    `${shiftName(compared, short)} > ${level.effect}`,
    `${significanceName(compared, long)} > ${level.significance.long}`,
    `${significanceName(compared, short)} > ${level.significance.short}`,
  ].join('\nand ')
}

function alertExpression(compared: Compared, level: ShiftLevel, { baselines }: MonitoringSettings): string {
  const [near, far] = baselines
  const [fromNear, fromFar] = [condition(compared, level, near), condition(compared, level, far)]
  if (level.severity === 'page') return lines(`${fromNear}\nand ${fromFar}`)
  const shift = (baseline: number): string => shiftName(compared, { window: level.long, against: level.long, baseline })
  // One baseline alone where the other has no data: a new model, or yesterday was a holiday.
  return lines(
    `(${fromNear}\nand ${fromFar})`,
    `or (${fromNear}\nunless ${shift(far)})`,
    `or (${fromFar}\nunless ${shift(near)})`,
  )
}

/** A quantile of the recorded buckets, as a piece of an annotation. */
function quantile(compared: Compared, level: ShiftLevel, q: number, offset: number): string {
  const series = `${bucketIncrease(compared.metric, level.long)}{gateway=%q,model=%q}${offset > 0 ? ` offset ${duration(offset)}` : ''}`
  const query = `histogram_quantile(${q}, sum by (le) (${series}))`
  const shown = compared.unit === 'seconds' ? 'humanizeDuration' : 'printf "%.3g"'
  return `{{ with printf ${JSON.stringify(query)} $labels.gateway $labels.model | query }}{{ . | first | value | ${shown} }}{{ else }}unknown{{ end }}`
}

function alertOf(compared: Compared, level: ShiftLevel, settings: MonitoringSettings): Alert {
  const [near, far] = settings.baselines
  const ago = (offset: number, q: number): string => quantile(compared, level, q, offset)
  const [middle, tail] = [0.5, compared.worse === 'higher' ? 0.95 : 0.1]
  const unit = compared.unit === 'seconds' ? '' : ' tokens/s'
  return {
    name: compared.alert,
    severity: level.severity,
    scope: 'model',
    about: compared.about,
    expr: alertExpression(compared, level, settings),
    for: level.for,
    keepFiring: settings.keepFiring,
    summary: `${compared.title} of {{ $labels.model }} at {{ $labels.gateway }} is worse than it was at this time`,
    description:
      `Over ${duration(level.long)}: p50 ${ago(0, middle)}${unit}, p${tail * 100} ${ago(0, tail)}${unit}; ` +
      `${duration(near)} ago p50 ${ago(near, middle)}${unit}, p${tail * 100} ${ago(near, tail)}${unit}; ` +
      `${duration(far)} ago p50 ${ago(far, middle)}${unit}. ` +
      'At the bound that tells most, {{ $value | humanizePercentage }} of the streams have moved to the worse side, ' +
      'compared with streams of the same apps.',
    dashboard: 'streamgauge-latency',
  }
}

function comparisonsOf(settings: MonitoringSettings, level: ShiftLevel): Comparison[] {
  return settings.baselines.flatMap((baseline) => [
    { window: level.short, against: level.long, baseline },
    { window: level.long, against: level.long, baseline },
  ])
}

function groupOf(compared: Compared, settings: MonitoringSettings): RuleGroup {
  const windows = [...new Set(settings.shift.flatMap(({ short, long }) => [short, long]))].sort((a, b) => a - b)
  return {
    name: `streamgauge-${compared.about.replaceAll('_', '-')}-shift`,
    comment: `${compared.title} now against the same time ${settings.baselines.map(duration).join(' and ')} ago, distribution by distribution.`,
    interval: settings.interval,
    records: [
      ...windows.map((window) => ({
        record: bucketIncrease(compared.metric, window),
        expr: `sum by (${perModel}, operation, app, le) (increase(${prefix}${compared.metric}_bucket[${duration(window)}]))`,
      })),
      ...settings.shift.flatMap((level) =>
        comparisonsOf(settings, level).flatMap((comparison) =>
          comparisonRules(compared, comparison, settings.leastBaseline),
        ),
      ),
    ],
    alerts: settings.shift.map((level) => alertOf(compared, level, settings)),
  }
}

export function shiftGroups(settings: MonitoringSettings): RuleGroup[] {
  return [groupOf(ttft, settings), groupOf(tokenRate, settings)]
}
