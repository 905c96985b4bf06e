import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { ruleFile } from '../../src/monitoring/rule.ts'
import { ruleFiles } from '../../src/monitoring/rules.ts'
import { defaultSettings, type MonitoringSettings } from '../../src/monitoring/settings.ts'
import { readExposition } from '../helpers/exposition.ts'
import { type Prometheus, type Sample, startPrometheus } from '../helpers/prometheus.ts'
import { referenceProxies } from '../helpers/reference-proxies.ts'
import { ask, bodyOf, type Replicas, startReplicas, tokensOf, type Wish } from '../helpers/replicas.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

// Whatever the environment of whoever runs the tests says.
process.env['NO_PROXY'] = '*'

/** The rules as they are, with seconds in place of minutes. */
const scaled: MonitoringSettings = {
  ...defaultSettings,
  interval: 1,
  shift: [],
  windows: { short: 4, medium: 6, long: 8 },
  patience: { short: 1, long: 2 },
}
const ttft = 'streamgauge_time_to_first_token_seconds'
/** From 0 to 300 ms, in no order. */
const wishes: readonly Wish[] = Array.from({ length: 64 }, (_, at) => ({ id: at, ttftMs: (at * 37) % 300 }))

function watch(t: TestContext, { pair }: Replicas): Promise<Prometheus> {
  const folder = temporaryFolder(t)
  const files = [...ruleFiles(scaled)]
    .filter(([, groups]) => groups.some(({ records, alerts }) => records.length + alerts.length > 0))
    .map(([name, groups]) => {
      writeFileSync(join(folder, name), ruleFile(groups, scaled))
      return join(folder, name)
    })
  return startPrometheus(t, {
    config: {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: files,
      scrape_configs: [
        {
          job_name: 'streamgauge',
          static_configs: [{ targets: pair.map(({ adminUrl }) => new URL(adminUrl).host) }],
        },
      ],
    },
  })
}

const one = (samples: readonly Sample[]): number => {
  assert.equal(samples.length, 1)
  return samples[0]?.value as number
}

/** What a single process would have in its buckets: cumulative, by bound. */
async function bucketsOfBoth({ pair }: Replicas): Promise<Map<number, number>> {
  const sums = new Map<number, number>()
  for (const replica of pair) {
    const families = readExposition((await replica.get('metrics')).text, 'text')
    for (const { name, labels, value } of families.get(ttft)?.samples ?? []) {
      if (name !== `${ttft}_bucket`) continue
      const bound = labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(labels['le'])
      sums.set(bound, (sums.get(bound) ?? 0) + value)
    }
  }
  return sums
}

/** The bounds between which the quantile lies. */
function bucketOf(buckets: ReadonlyMap<number, number>, quantile: number): [number, number] {
  const rank = quantile * (buckets.get(Number.POSITIVE_INFINITY) as number)
  const bounds = [...buckets.keys()].sort((low, high) => low - high)
  const at = bounds.findIndex((bound) => (buckets.get(bound) as number) >= rank)
  return [bounds[at - 1] ?? 0, bounds[at] as number]
}

for (const balancer of referenceProxies) {
  test(`${balancer}: one Prometheus, two replicas: sums, quantiles and alerts`, { timeout: 60_000 }, async (t) => {
    if (![balancer, 'prometheus'].every((tool) => requireTool(t, tool))) return
    const replicas = await startReplicas(t, balancer)
    const prometheus = await watch(t, replicas)
    const waiting = [...wishes]
    const client = async (): Promise<void> => {
      for (let wish = waiting.pop(); wish !== undefined; wish = waiting.pop())
        assert.deepEqual(await ask(replicas.url, wish), { status: 200, body: bodyOf(wish) })
    }
    await Promise.all(Array.from({ length: 12 }, client))
    assert.deepEqual(
      replicas.asked.toSorted((low, high) => low - high),
      wishes.map(({ id }) => id),
    )
    const total = 'sum(streamgauge_requests_total)'
    while ((await prometheus.query(total))[0]?.value !== wishes.length) await delay(100)

    await t.test('sums are those of what was sent', async () => {
      const sums: Readonly<Record<string, number>> = {
        'sum(streamgauge_requests_total{outcome="ok", streamed="true"})': wishes.length,
        'sum(streamgauge_streams_started_total)': wishes.length,
        [`sum(${ttft}_count)`]: wishes.length,
        'sum(streamgauge_tokens_total{type="output"})': wishes.reduce((sum, wish) => sum + tokensOf(wish), 0),
        'sum(streamgauge_tokens_total{type="input"})': wishes.length * 10,
        'sum(streamgauge_streams_in_flight)': 0,
        'count(count by (instance) (streamgauge_build_info))': 2,
      }
      for (const [query, expected] of Object.entries(sums))
        assert.equal(one(await prometheus.query(query)), expected, query)
      // The balancer sends each request to the replica with fewer connections: neither is left out.
      const shares = await prometheus.query('sum by (instance) (streamgauge_requests_total{outcome="ok"})')
      assert.ok(shares.length === 2 && shares.every(({ value }) => value > wishes.length / 4), JSON.stringify(shares))
    })

    await t.test('quantiles are those of one process that had carried all', async () => {
      const buckets = await bucketsOfBoth(replicas)
      const exact = replicas
        .exchanges()
        .map(({ figures }) => (figures as Record<string, number>)['time_to_first_token_seconds'] as number)
        .sort((low, high) => low - high)
      assert.equal(exact.length, wishes.length)
      for (const quantile of [0.1, 0.5, 0.95]) {
        const said = one(await prometheus.query(`histogram_quantile(${quantile}, sum by (le) (${ttft}_bucket))`))
        const [low, high] = bucketOf(buckets, quantile)
        assert.ok(low < said && said <= high, `${quantile}: ${said} is not between ${low} and ${high}`)
        const true_ = exact[Math.ceil(quantile * exact.length) - 1] as number
        // The log rounds.
        assert.ok(low - 1e-3 <= true_ && true_ <= high + 1e-3, `${quantile}: ${true_} is not from ${low} to ${high}`)
      }
    })

    await t.test('rules record what both have seen, once', async () => {
      const query = 'app:streamgauge_tokens:increase8s{type="input"}'
      while ((await prometheus.query(query)).length === 0) await delay(100)
      const recorded = await prometheus.query(query)
      assert.deepEqual(
        recorded.map(({ metric }) => [metric['instance'], metric['gateway'], metric['model']]),
        [[undefined, 'default', 'm']],
      )
    })

    await t.test('a replica that goes is told by its name, and nothing else is', async () => {
      const [gone] = replicas.pair
      gone.kill('SIGTERM')
      await gone.exited
      const firing = async () =>
        prometheus.query('ALERTS{alertstate="firing", scope="proxy", alertname!~".*(Stall|Overhead)"}')
      while ((await firing()).length === 0) await delay(100)
      assert.deepEqual(
        (await firing()).map(({ metric }) => [metric['alertname'], metric['instance']]),
        [['StreamgaugeReplicaDown', new URL(gone.adminUrl).host]],
      )
      assert.deepEqual(await ask(replicas.url, { id: 1000 }), { status: 200, body: bodyOf({ id: 1000 }) })
    })
  })
}
