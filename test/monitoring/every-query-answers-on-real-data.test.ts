import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { day, hour } from '../../src/monitoring/duration.ts'
import { busyProxy, oddModel, pricedModels } from '../helpers/busy-proxy.ts'
import { type Prometheus, type Sample, type Scrape, startPrometheus, writeBlocks } from '../helpers/prometheus.ts'
import { type Chosen, interpolate, type PanelQuery, panelQueries, ruleQueries } from '../helpers/promql.ts'
import { temporaryFolder } from '../helpers/temporary-folder.ts'
import { requireTool } from '../helpers/tools.ts'

/** Real scrapes of a proxy with real traffic, put at times of which a panel can see enough: a scrape a minute takes a minute otherwise. */
interface World {
  readonly name: string
  /** Its last scrape, seconds. */
  readonly time: number
  readonly scrapeInterval: number
}

const rounds = 5
const now = Math.floor(Date.now() / 1000)
const worlds = {
  busy: { name: 'real traffic', time: now - hour, scrapeInterval: 15 },
  idle: { name: 'no traffic', time: now - 4 * hour, scrapeInterval: 15 },
  rested: { name: 'no traffic after some', time: now - 16 * hour, scrapeInterval: 15 },
  single: { name: 'one model', time: now - 7 * hour, scrapeInterval: 15 },
  replicas: { name: 'two replicas', time: now - 10 * hour, scrapeInterval: 15 },
  slow: { name: 'a scrape a minute', time: now - 13 * hour, scrapeInterval: 60 },
} as const satisfies Record<string, World>

const instance = (name: string) => ({ job: 'streamgauge', instance: name })

/** The first scrape comes before any traffic, the last but one after all of it: counters rise in the middle. */
async function recordScrapes(t: TestContext, kind: 'mixed' | 'simple' | 'idle'): Promise<string[]> {
  const proxy = await busyProxy(t, kind)
  // Children are born with the first request; the increase over it is seen from the next scrape on.
  const texts: string[] = [await proxy.scrape()]
  for (let round = 0; round < rounds; round++) {
    await proxy.round()
    texts.push(await proxy.scrape())
  }
  return texts
}

const at = (world: World, texts: readonly string[], name = 'a:9484', ago = 0): Scrape[] =>
  texts.map((text, index) => ({
    time: world.time - ago - (texts.length - 1 - index) * world.scrapeInterval,
    labels: instance(name),
    text,
  }))

async function prometheusWithAll(t: TestContext): Promise<Prometheus> {
  const data = join(temporaryFolder(t), 'data')
  const [busy, single, idle, second] = await Promise.all([
    recordScrapes(t, 'mixed'),
    recordScrapes(t, 'simple'),
    recordScrapes(t, 'idle'),
    recordScrapes(t, 'mixed'),
  ])
  for (const ago of [7 * day, day, 0]) writeBlocks(t, data, at(worlds.busy, busy, 'a:9484', ago))
  writeBlocks(t, data, at(worlds.idle, idle))
  const last = busy.at(-1) as string
  writeBlocks(
    t,
    data,
    at(
      worlds.rested,
      busy.map(() => last),
    ),
  )
  writeBlocks(t, data, at(worlds.single, single))
  writeBlocks(t, data, [...at(worlds.replicas, busy), ...at(worlds.replicas, second, 'b:9484')])
  writeBlocks(t, data, at(worlds.slow, busy))
  return startPrometheus(t, { config: {}, data })
}

function chosenFor(world: World, query: PanelQuery, chosen: Partial<Chosen> = {}): Chosen {
  // As Grafana computes it: four scrapes, or the panel's step and one scrape.
  const step = query.interval === '15m' ? 900 : 0
  const rateInterval = `${Math.max(4 * world.scrapeInterval, step + world.scrapeInterval)}s`
  return { rateInterval, range: `${rounds * world.scrapeInterval + 30}s`, ...chosen }
}

const ask = (
  prometheus: Prometheus,
  world: World,
  query: PanelQuery,
  chosen: Partial<Chosen> = {},
): Promise<Sample[]> => prometheus.query(interpolate(query.expr, chosenFor(world, query, chosen)), world.time)

const nameOf = ({ dashboard, panel, legend }: PanelQuery): string =>
  `${dashboard}: ${panel}${legend === undefined ? '' : ` (${legend})`}`

/** What panels promise by their unit. */
function outOfRange(query: PanelQuery, { value }: Sample): boolean {
  if (!Number.isFinite(value) || value < 0) return true
  if (query.unit === 'percentunit') return value > 1
  if (query.unit === 's' && query.type !== 'heatmap') return value > 600
  return false
}

/** Nothing to show in this traffic, for the reason given. */
const emptyOnPurpose: Readonly<Record<string, string>> = {
  'Time to first token by input size, p50': 'labels.inputSize is off',
  'Firing alerts': 'no rules are loaded',
}

test('every query of every panel', async (t) => {
  if (!requireTool(t, 'prometheus') || !requireTool(t, 'promtool')) return
  const prometheus = await prometheusWithAll(t)

  for (const world of [worlds.busy, worlds.replicas, worlds.slow]) {
    await t.test(`${world.name}: answers, in the range of its unit`, async () => {
      for (const query of panelQueries) {
        if (query.expr.includes('offset') && world !== worlds.busy) continue
        const samples = await ask(prometheus, world, query)
        assert.equal(
          samples.length === 0,
          query.panel in emptyOnPurpose,
          `${nameOf(query)} is empty, or is not\n${query.expr}`,
        )
        const wrong = samples.filter((sample) => outOfRange(query, sample))
        assert.deepEqual(wrong, [], nameOf(query))
      }
    })
  }

  await t.test('one model with an odd name, chosen in the variable', async () => {
    for (const world of [worlds.busy, worlds.single]) {
      const chosen = { model: [oddModel], gateway: ['default'], app: ['shop'], operation: ['chat'] }
      for (const query of panelQueries) {
        const samples = await ask(prometheus, world, query, chosen)
        assert.deepEqual(
          samples.filter((sample) => outOfRange(query, sample)),
          [],
          nameOf(query),
        )
        for (const { metric } of samples) assert.equal(metric['model'] ?? oddModel, oddModel, nameOf(query))
      }
      const rate = panelQueries.find(({ panel }) => panel === 'Tokens per second, p50, by model') as PanelQuery
      assert.equal((await ask(prometheus, world, rate, chosen)).length, 1, world.name)
      assert.equal(
        (await ask(prometheus, world, rate, { ...chosen, model: ['sim/fast', oddModel] })).length,
        world === worlds.busy ? 2 : 1,
      )
    }
  })

  await t.test('no traffic: zeros, or the reason why there is nothing', async () => {
    for (const world of [worlds.idle, worlds.rested]) {
      for (const query of panelQueries) {
        const samples = await ask(prometheus, world, query)
        if (samples.length === 0) assert.ok(query.noValue, nameOf(query))
        const wrong = samples.filter((sample) => outOfRange(query, sample))
        assert.deepEqual(wrong, [], nameOf(query))
      }
    }
    const zeros = panelQueries.filter(({ type, expr }) => type === 'stat' && expr.includes('vector(0)'))
    assert.ok(zeros.length >= 8)
    for (const query of zeros)
      assert.deepEqual(
        (await ask(prometheus, worlds.idle, query)).map(({ value }) => value),
        [0],
        nameOf(query),
      )
  })

  await t.test('yesterday and last week show what was then', async () => {
    const past = panelQueries.filter(({ expr }) => expr.includes('offset'))
    assert.ok(past.length >= 10)
    for (const query of past) {
      const present = { ...query, expr: query.expr.replaceAll(/ offset \dd/g, '') }
      const then = await ask(prometheus, worlds.busy, query)
      const values = (samples: readonly Sample[]): number[] => samples.map(({ value }) => value).sort((a, b) => a - b)
      assert.deepEqual(values(then), values(await ask(prometheus, worlds.busy, present)), nameOf(query))
    }
  })

  await t.test('a model without a price has no cost, rather than a cost of 0', async () => {
    const costs = panelQueries.filter(({ type, expr }) => type === 'table' && expr.includes('cost_usd'))
    assert.ok(costs.length >= 3)
    for (const query of costs) {
      const samples = await ask(prometheus, worlds.busy, query)
      for (const { metric, value } of samples) {
        assert.ok(value > 0, nameOf(query))
        assert.ok(
          metric['model'] === undefined || pricedModels.includes(metric['model']),
          `${nameOf(query)}: ${metric['model']}`,
        )
      }
    }
  })

  await t.test('two replicas add up', async () => {
    const count = panelQueries.find(
      ({ panel, legend }) => panel === 'Streams with a first token' && legend === 'now',
    ) as PanelQuery
    const [one] = await ask(prometheus, worlds.busy, count)
    const [both] = await ask(prometheus, worlds.replicas, count)
    assert.ok(Math.abs((both as Sample).value / (one as Sample).value - 2) < 0.1, `${one?.value} and ${both?.value}`)
  })

  await t.test('every expression of every rule is understood', async () => {
    for (const { expr } of ruleQueries) await prometheus.query(expr, worlds.busy.time)
  })
})
