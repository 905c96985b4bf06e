import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latencyBuckets, overheadBuckets } from '../../src/measurement/buckets.ts'
import { outcomes } from '../../src/measurement/outcomes.ts'
import { day, hour, minute } from '../../src/monitoring/duration.ts'
import { alertNames, committedRules, type Firing, firingAlerts, type Series } from '../helpers/promtool.ts'
import { counterOf, gaugeOf, histogramOf, logNormal, ttftOf } from '../helpers/synthetic-traffic.ts'
import { requireTool } from '../helpers/tools.ts'

const interval = 2 * minute
/** What changes, changes here. */
const change = day + hour
const to = change + 2 * hour
const frame = {
  interval,
  to,
  seed: 3,
  even: true,
}
/** Looked at half an hour before, and one and two hours after the change. */
const times = [change - 30 * minute, change + hour, change + 2 * hour]

type Shares = Readonly<Record<string, number>>
const after = (time: number): boolean => time >= change

/** Requests of a model by outcome, as shares of all, and its streams. */
function model(
  name: string,
  perSecond: number,
  shares: Shares,
  more: { ttft?: (time: number) => number } = {},
): Series[] {
  const labels = { gateway: 'main', model: name, operation: 'chat', app: 'shop' }
  const failed = Object.values(shares).reduce((sum, share) => sum + share, 0)
  const requests = outcomes.map((outcome) =>
    counterOf(
      'requests_total',
      { ...labels, streamed: 'true', outcome },
      (time) =>
        perSecond * (outcome === 'ok' ? 1 - (after(time) ? failed : 0) : after(time) ? (shares[outcome] ?? 0) : 0),
      frame,
    ),
  )
  return [
    ...requests,
    counterOf('streams_started_total', labels, () => perSecond, frame),
    ...(shares['client_abort'] === undefined ? abandoned(name, 0, 0) : []),
    ...ttftOf(
      {
        labels,
        rate: (time) => perSecond * (after(time) ? 1 - failed : 1),
        sample: logNormal(more.ttft ?? (() => 0.6)),
      },
      frame,
    ),
  ]
}

const waits = (name: string, seconds: (time: number) => number, streams: number): Series[] => [
  gaugeOf(
    'streamgauge_longest_wait_seconds',
    { gateway: 'main', model: name },
    (time) => (after(time) ? seconds(time) : 0),
    frame,
  ),
  gaugeOf(
    'streamgauge_streams_awaiting_first_token',
    { gateway: 'main', model: name },
    (time) => (after(time) ? streams : 0),
    frame,
  ),
]

const abandoned = (name: string, perSecond: number, wait: number): Series[] =>
  histogramOf(
    'abandoned_wait_seconds',
    latencyBuckets,
    {
      labels: { gateway: 'main', model: name, operation: 'chat' },
      rate: (time) => (after(time) ? perSecond : 0),
      sample: () => wait,
    },
    frame,
  )

const counter = (name: string, labels: Shares | Record<string, string>, before: number, later = before): Series =>
  counterOf(name, labels as Record<string, string>, (time) => (after(time) ? later : before), frame)

const servedBy = (name: string, provider: string, before: number, later: number): Series =>
  counter('served_by_total', { gateway: 'main', model: name, served_model: name, provider }, before, later)

const tokens = (name: string, app: string, input: [number, number], cached: [number, number]): Series[] => [
  counter('tokens_total', { gateway: 'main', model: name, app, type: 'input' }, ...input),
  counter('tokens_total', { gateway: 'main', model: name, app, type: 'cached_input' }, ...cached),
]

const up = (instance: string, value: (time: number) => number | undefined): Series =>
  gaugeOf('up', { job: 'streamgauge', instance }, value, frame)

interface Case {
  readonly name: string
  readonly series: (name: string) => Series[]
  /** "alert severity", when it is looked at two hours after the change. */
  readonly expected: readonly string[]
}

const cases: readonly Case[] = [
  { name: 'all is well', series: (name) => model(name, 0.5, {}), expected: [] },
  {
    name: 'a third of the requests fail',
    series: (name) => model(name, 0.5, { http_5xx: 0.33 }),
    expected: ['ErrorShare page', 'ErrorShare ticket', 'SloBurn page'],
  },
  { name: 'two in a hundred fail', series: (name) => model(name, 0.5, { http_5xx: 0.02 }), expected: [] },
  { name: 'thin traffic that fails', series: (name) => model(name, 3 / hour, { http_5xx: 0.5 }), expected: [] },
  {
    name: 'rate limits',
    series: (name) => model(name, 0.5, { rate_limited: 0.1 }),
    expected: ['RateLimited ticket'],
  },
  {
    name: 'truncated streams',
    series: (name) => model(name, 0.5, { truncated: 0.05 }),
    expected: ['TruncatedStreams ticket'],
  },
  {
    name: 'most streams are too slow',
    series: (name) => model(name, 0.5, {}, { ttft: (time) => (after(time) ? 4 : 0.6) }),
    expected: ['SloBurn page', 'SloBurn ticket'],
  },
  {
    name: 'clients that leave at once',
    series: (name) => [...model(name, 0.5, { client_abort: 0.4 }), ...abandoned(name, 0.2, 0.1)],
    expected: [],
  },
  {
    name: 'clients that give up',
    series: (name) => [...model(name, 0.5, { client_abort: 0.4 }), ...abandoned(name, 0.2, 20)],
    expected: ['AbandonedWaits ticket', 'SloBurn page'],
  },
  {
    name: 'it hangs',
    series: (name) => [...model(name, 0.5, {}), ...waits(name, (time) => time - change, 5)],
    expected: ['GatewayHangs page'],
  },
  { name: 'one stream alone hangs', series: (name) => waits(name, (time) => time - change, 1), expected: [] },
  {
    name: 'a model that always thinks for minutes',
    series: (name) => [...model(name, 0.05, {}, { ttft: () => 100 }), ...waits(name, () => 150, 5)],
    expected: ['SloBurn page', 'SloBurn ticket'],
  },
  {
    name: 'buffering appears',
    series: (name) => [
      ...model(name, 0.5, {}),
      counter('buffered_streams_total', { gateway: 'main', model: name }, 0, 0.2),
    ],
    expected: ['BufferingAppeared ticket'],
  },
  {
    name: 'it has always buffered',
    series: (name) => [
      ...model(name, 0.5, {}),
      counter('buffered_streams_total', { gateway: 'main', model: name }, 0.2),
    ],
    expected: [],
  },
  {
    name: 'another provider answers',
    series: (name) => [servedBy(name, 'East', 0.1, 0.02), servedBy(name, 'West', 0, 0.08)],
    expected: ['ServedByOthers ticket'],
  },
  {
    name: 'providers take turns as before',
    series: (name) => [servedBy(name, 'East', 0.1, 0.11), servedBy(name, 'West', 0.05, 0.04)],
    expected: [],
  },
  {
    name: 'thin traffic from another provider',
    series: (name) => [servedBy(name, 'East', 5 / hour, 0), servedBy(name, 'West', 0, 5 / hour)],
    expected: [],
  },
  {
    name: 'the cache is hit less',
    series: (name) => [...model(name, 0.1, {}), ...tokens(name, 'shop', [1000, 1000], [600, 100])],
    expected: ['CacheHitsFell ticket'],
  },
  {
    name: 'traffic moves to an app that has no use for a cache',
    series: (name) => [
      ...model(name, 0.1, {}),
      ...tokens(name, 'shop', [1000, 100], [600, 60]),
      ...tokens(name, 'batch', [100, 1000], [0, 0]),
    ],
    expected: [],
  },
]

/** Of the whole process, with no model. */
const ofTheProxy: Readonly<Record<string, () => Series[]>> = {
  'GatewayUnreachable page': () =>
    ['ok', 'gateway_error'].map((outcome) =>
      counter(
        'requests_total',
        { gateway: 'gone', model: '', operation: 'passthrough', app: '', streamed: 'false', outcome },
        outcome === 'ok' ? 0.2 : 0,
        outcome === 'ok' ? 0 : 0.2,
      ),
    ),
  'ProxyOverhead ticket': () =>
    histogramOf(
      'proxy_overhead_seconds',
      overheadBuckets,
      {
        labels: { gateway: 'main', job: 'streamgauge', instance: 'a:9484' },
        rate: () => 1,
        sample: (random, time) => (after(time) && random() < 0.05 ? 0.3 : 0.0004),
      },
      frame,
    ),
  'EventLoopStall ticket': () => [
    gaugeOf(
      'streamgauge_event_loop_stall_max_seconds',
      { job: 'streamgauge', instance: 'a:9484' },
      (time) => (after(time) ? 0.3 : 0.02),
      frame,
    ),
  ],
  'LabelOverflow ticket': () => [counter('label_overflow_total', { label: 'model' }, 0, 0.1)],
  'MeasurementErrors ticket': () => [counter('measurement_errors_total', { stage: 'json' }, 0, 0.1)],
  'ReplicaDown ticket': () => [up('a:9484', () => 1), up('b:9484', (time) => (after(time) ? 0 : 1))],
}

const shown = (found: readonly Firing[]): string[] =>
  [
    ...new Set(found.map(({ labels }) => `${labels['alertname']?.replace('Streamgauge', '')} ${labels['severity']}`)),
  ].sort()

const beforehand = (found: readonly Firing[]): Firing[] => found.filter(({ time }) => time < change)
/** Those that compare distributions have a test of their own. */
const rules = committedRules.filter((path) => !path.endsWith('latency.yml'))
const alerts = alertNames(rules)
const everFired = new Set<string>()

test('alerts on what gateways do', async (t) => {
  if (!requireTool(t, 'promtool')) return
  const series = [
    ...cases.flatMap((one) => one.series(one.name)),
    ...Object.values(ofTheProxy).flatMap((make) => make()),
  ]
  const found = firingAlerts(t, { series, interval, evaluate: 10 * minute, times, alerts }, rules)
  for (const { labels } of found) everFired.add(labels['alertname'] as string)
  for (const { name, expected } of cases) {
    await t.test(name, () => {
      const own = found.filter(({ labels }) => labels['model'] === name)
      assert.deepEqual(shown(own.filter(({ time }) => time > change + hour)), expected)
      assert.deepEqual(shown(beforehand(own)), name.includes('always thinks') ? expected : [])
    })
  }
  await t.test('alerts on Streamgauge itself', () => {
    const own = found.filter(({ labels }) => labels['model'] === undefined)
    assert.deepEqual(shown(own), Object.keys(ofTheProxy).sort())
    assert.deepEqual(shown(beforehand(own)), [])
  })
  await t.test('every text is filled in', () => {
    for (const { annotations } of found) {
      for (const text of Object.values(annotations))
        assert.doesNotMatch(text, /error expanding|no value|NaN|unknown|%!/i, text)
    }
  })
})

test('the proxy is down, or nobody looks for it', (t) => {
  if (!requireTool(t, 'promtool')) return
  const look = (value: (time: number) => number | undefined): string[] => {
    const series = [up('a:9484', value)]
    const found = firingAlerts(t, { series, interval, evaluate: 10 * minute, times, alerts }, rules)
    for (const { labels } of found) everFired.add(labels['alertname'] as string)
    assert.deepEqual(beforehand(found), [])
    return shown(found)
  }
  assert.deepEqual(
    look((time) => (after(time) ? 0 : 1)),
    ['ProxyDown page'],
  )
  assert.deepEqual(
    look((time) => (after(time) ? undefined : 1)),
    ['TargetMissing page'],
  )
  assert.deepEqual(
    look(() => 1),
    [],
  )
})

test('every alert has been seen to fire', (t) => {
  if (!requireTool(t, 'promtool')) return
  assert.deepEqual(
    alerts.filter((name) => !everFired.has(name)),
    [],
  )
})
