import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { shiftGroups } from '../../src/monitoring/distribution-shift.ts'
import { day, hour, minute } from '../../src/monitoring/duration.ts'
import { ruleFile } from '../../src/monitoring/rule.ts'
import { defaultSettings } from '../../src/monitoring/settings.ts'
import { type Firing, firingAlerts, type Series } from '../helpers/promtool.ts'
import { type Frame, logNormal, type Span, type Traffic, tokenRatesOf, ttftOf } from '../helpers/synthetic-traffic.ts'
import { temporaryFile } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

const interval = 5 * minute
/** Today begins here; yesterday and a week ago there is data, too. Between them there is none: that costs no time. */
const today = 7 * day
const length = 11 * hour
const spansAt = (...starts: number[]): Span[] => starts.map((from) => ({ from, to: from + length }))
/** Hours of today at which to look. What changes, changes at six. */
const hours = [5, 7, 8, 11]
const change = today + 6 * hour

interface Case {
  readonly name: string
  readonly traffic: readonly (Omit<Traffic, 'labels'> & { readonly app?: string })[]
  /** "severity hour", in this order. */
  readonly expected: readonly string[]
  readonly spans?: readonly Span[]
}

const slower =
  (factor: number, median = 0.6) =>
  (time: number): number =>
    median * (time >= change ? factor : 1)
const steady = (perSecond: number) => () => perSecond
const requests = (perSecond: number, factor: number, more: Partial<Traffic> = {}) => [
  { rate: steady(perSecond), sample: logNormal(slower(factor)), ...more },
]

/** Load of a day, 0 to 1, and a backend that is slower when it is busy. */
const load = (time: number): number => 0.55 - 0.45 * Math.cos((2 * Math.PI * time) / day)
const everyHour = Array.from({ length: 24 * 8 }, (_, at) => (at + 0.5) * hour)
/** The share of the first of two apps: most of the traffic before, little of it now. */
const firstShare = (time: number): number => (time >= change ? 0.1 : 0.9)

const cases: readonly Case[] = [
  {
    name: 'twice as slow: a page within an hour',
    traffic: requests(0.3, 2),
    expected: ['page 11', 'page 7', 'page 8', 'ticket 11'],
  },
  {
    name: 'half as slow again: a page within two hours',
    traffic: requests(0.3, 1.5),
    expected: ['page 11', 'page 8', 'ticket 11'],
  },
  { name: 'a drift of 15 %', traffic: requests(0.3, 1.15), expected: [] },
  { name: 'a drift of 15 % under heavy traffic, where it is beyond doubt', traffic: requests(3, 1.15), expected: [] },
  { name: 'nothing changes', traffic: requests(0.3, 1), expected: [] },
  {
    name: 'twenty an hour, twice as slow: no page, a ticket later',
    traffic: requests(20 / hour, 2),
    expected: ['ticket 11'],
  },
  { name: 'twenty an hour, nothing changes', traffic: requests(20 / hour, 1), expected: [] },
  { name: 'one in two hours, twice as slow', traffic: requests(0.5 / hour, 2), expected: [] },
  {
    name: 'a daily load curve, and a backend that feels it',
    traffic: [{ rate: (time) => load(time), sample: logNormal((time) => 0.4 + 0.6 * load(time)) }],
    expected: [],
  },
  { name: 'a restart every hour', traffic: requests(0.3, 1, { restarts: everyHour }), expected: [] },
  {
    name: 'a restart every hour, twice as slow',
    traffic: requests(0.3, 2, { restarts: everyHour }),
    expected: ['page 11', 'page 7', 'page 8', 'ticket 11'],
  },
  {
    name: 'traffic moves from an app with short prompts to one with long ones',
    traffic: [
      { app: 'short', rate: (time) => 0.5 * firstShare(time), sample: logNormal(() => 0.3) },
      { app: 'long', rate: (time) => 0.5 * (1 - firstShare(time)), sample: logNormal(() => 3) },
    ],
    expected: [],
  },
  {
    name: 'a new app with long prompts',
    traffic: [
      { app: 'short', rate: steady(0.1), sample: logNormal(() => 0.3) },
      { app: 'new', rate: (time) => (time >= change ? 0.5 : 0), sample: logNormal(() => 3) },
    ],
    expected: [],
  },
  {
    name: 'traffic comes from another model',
    traffic: [{ rate: (time) => 0.5 * (1 - firstShare(time)), sample: logNormal(() => 0.6) }],
    expected: [],
  },
  {
    name: 'traffic goes to another model',
    traffic: [{ rate: (time) => 0.5 * firstShare(time), sample: logNormal(() => 0.6) }],
    expected: [],
  },
  { name: 'a new model, slow from the start', traffic: requests(0.3, 2), spans: spansAt(today), expected: [] },
  {
    name: 'no data a week old, twice as slow: tickets alone',
    traffic: requests(0.3, 2),
    spans: spansAt(today - day, today),
    expected: ['ticket 11'],
  },
  { name: 'an idle yesterday', traffic: requests(0.3, 1), spans: spansAt(0, today), expected: [] },
  {
    name: 'an idle yesterday, twice as slow: tickets alone',
    traffic: requests(0.3, 2),
    spans: spansAt(0, today),
    expected: ['ticket 11'],
  },
  {
    name: 'idle since yesterday',
    traffic: [{ rate: (time) => (time < today - day ? 0.3 : 0), sample: logNormal(() => 0.6) }],
    expected: [],
  },
  {
    name: 'a bad yesterday that is over',
    traffic: [{ rate: steady(0.3), sample: logNormal((time) => (time >= today - day && time < today ? 1.8 : 0.6)) }],
    expected: [],
  },
]

/** Enough to see that the other side of a distribution is watched by the same rules. */
const rateCases = cases.filter(({ name }) => /^(twice|a drift of 15 %$|a daily|traffic moves)/.test(name))

/** Of a case for the rate of tokens: what is slow there is a low rate here. */
const rateOf = (traffic: Case['traffic'][number]): Omit<Traffic, 'labels'> => ({
  ...traffic,
  sample: (random, time) => 30 / traffic.sample(random, time),
})

const frame = (spans: readonly Span[] | undefined, seed: number): Frame => ({
  interval,
  to: today + length,
  spans: spans ?? spansAt(0, today - day, today),
  seed,
})

function seriesOf(
  of: readonly Case[],
  make: (traffic: Traffic, frame: Frame) => Series[],
  turn: typeof rateOf,
): Series[] {
  return of.flatMap(({ name, traffic, spans }, at) =>
    traffic.flatMap((one, index) => {
      const labels = { gateway: 'main', model: name, operation: 'chat', app: one.app ?? 'shop' }
      return make({ ...turn(one), labels }, frame(spans, 100 * at + index + 1))
    }),
  )
}

const told = (found: readonly Firing[], model: string): string[] =>
  found
    .filter(({ labels }) => labels['model'] === model)
    .map(({ labels, time }) => `${labels['severity']} ${(time - today) / hour}`)
    .sort()

/** Only the group that is asked: promtool evaluates every rule at every step. A test of its own compares it with the committed file. */
function groupFile(t: TestContext, group: 0 | 1, settings = defaultSettings): string {
  return temporaryFile(t, 'rules.yml', ruleFile(shiftGroups(settings).slice(group, group + 1), settings))
}

test('the time to first token, against a day and a week ago', async (t) => {
  if (!requireTool(t, 'promtool')) return
  const found = firingAlerts(
    t,
    {
      series: seriesOf(cases, ttftOf, (traffic) => traffic),
      interval,
      // The offsets of the rules are multiples of it.
      evaluate: 30 * minute,
      alerts: ['StreamgaugeTtftRegression'],
      times: hours.map((at) => today + at * hour),
    },
    [groupFile(t, 0)],
  )
  for (const { name, expected } of cases) {
    await t.test(name, () => {
      assert.deepEqual(told(found, name), expected)
    })
  }
  await t.test('the page says the numbers', () => {
    const page = found.find(({ labels }) => labels['severity'] === 'page')
    assert.match(page?.annotations['description'] as string, /p50 1\.\d+s, p95 \d\.\d+s; 1d ago p50 \d+\.\d+ms/)
  })
})

test('the rate of tokens, against the same', async (t) => {
  if (!requireTool(t, 'promtool')) return
  // The idle days between take most of the time: the baselines lie nearer here.
  const settings = { ...defaultSettings, baselines: [day, 2 * day] as const }
  const back = today - 2 * day
  const series = seriesOf(rateCases, tokenRatesOf, rateOf).map((one) => ({
    ...one,
    values: [...one.values.slice(0, day / interval), ...one.values.slice((back + day) / interval)],
  }))
  const times = hours.map((at) => today - back + at * hour)
  const found = firingAlerts(
    t,
    { series, interval, evaluate: 30 * minute, alerts: ['StreamgaugeTokenRateDrop'], times },
    [groupFile(t, 1, settings)],
  )
  const shifted = found.map((one) => ({ ...one, time: one.time + back }))
  for (const { name, expected } of rateCases) {
    await t.test(name, () => {
      assert.deepEqual(told(shifted, name), expected)
    })
  }
})
