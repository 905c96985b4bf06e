import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { seededRandom } from '../seeded-random.ts'
import { closeKeptConnections, runExchange } from './client.ts'
import { startSoakGateway } from './gateway.ts'
import { type PlannedExchange, planExchange } from './plan.ts'
import { ProxyProcess, sumOf } from './proxy-process.ts'
import { heapGrowth, mayBe, slopePerMinute, warm } from './verdict.ts'

// Hundreds of streams at once through the proxy as it is shipped, with everything that goes wrong, for as long as is asked; then SIGTERM.
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '180' },
    streams: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
  },
})
const seconds = Number(values.seconds)
const streams = Number(values.streams)
const seed = Number(values.seed)
if (![seconds, streams, seed].every((value) => Number.isInteger(value) && value > 0)) {
  console.error('usage: npm run soak -- [--seconds 180] [--streams 200] [--seed 1]')
  process.exit(2)
}

const folder = mkdtempSync(join(tmpdir(), 'streamgauge-soak-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
/** No planned exchange takes half as long. */
const longestExchangeMs = 30_000
const plans = new Map<string, PlannedExchange>()
const running = new Set<PlannedExchange>()
const faults: string[] = []
const random = seededRandom(seed)
const gateway = await startSoakGateway(plans)
const proxy = await ProxyProcess.start(gateway.url, '3s', folder)
process.on('exit', () => proxy.kill())

const started = performance.now()
const elapsed = (): number => (performance.now() - started) / 1000
let phase: 'load' | 'pause' | 'stop' = 'load'
/** Exchanges that ran while the proxy was told to stop. */
const atTheEnd = new Set<string>()
let n = 0

async function oneAfterAnother(): Promise<void> {
  while (phase === 'load' && proxy.running) {
    const plan = planExchange(++n, random)
    plans.set(plan.id, plan)
    running.add(plan)
    const { fault } = await runExchange(proxy.proxyUrl, gateway, plan).catch((error) => ({ fault: String(error) }))
    running.delete(plan)
    if ((phase as string) === 'stop') atTheEnd.add(plan.id)
    else if (fault !== undefined) faults.push(`${plan.kind}, client ${plan.client}: ${fault}`)
  }
}

async function load(): Promise<void> {
  await Promise.all(Array.from({ length: streams }, oneAfterAnother))
}

await proxy.sample()
const descriptorsBefore = proxy.descriptors
const first = load()
while (elapsed() < seconds) {
  await wait(1000)
  await proxy.sample()
}
phase = 'pause'
await Promise.race([first, wait(longestExchangeMs)])
for (const plan of running) faults.push(`still running long after its end: ${JSON.stringify(plan)}`)
closeKeptConnections()
gateway.closeIdle()
await wait(1500)
const descriptorsAfter = proxy.descriptors
const text = await proxy.metrics()
const counted = sumOf(text, 'streamgauge_requests_total')
const inFlight = sumOf(text, 'streamgauge_streams_in_flight')
const before = n

// SIGTERM in the middle of everything.
phase = 'load'
const last = load()
await wait(1500)
phase = 'stop'
const exitCode = await proxy.stop(20_000)
await Promise.race([last, wait(longestExchangeMs)])
gateway.close()
closeKeptConnections()

if (counted !== before) faults.push(`${before} requests were sent, ${counted} are counted`)
if (inFlight !== 0) faults.push(`${inFlight} streams are still in flight`)
if (descriptorsAfter > descriptorsBefore + 2)
  faults.push(`descriptors: ${descriptorsBefore} before, ${descriptorsAfter} after`)
if (exitCode !== 0) faults.push(`exit code ${exitCode}`)
if (proxy.stderr !== '') faults.push(`on standard error: ${proxy.stderr.slice(0, 500)}`)
for (const line of proxy.complaints) faults.push(`logged: ${line}`)
for (const [id, plan] of plans) {
  const outcomes = proxy.outcomes.get(id) ?? []
  const stopping = atTheEnd.has(id)
  const [outcome] = outcomes
  if (outcomes.length > 1) faults.push(`counted ${outcomes.length} times: ${plan.kind}`)
  // A request may meet the closed listener.
  else if (outcome === undefined && !stopping) faults.push(`not in the log: ${plan.kind}`)
  else if (outcome !== undefined && !mayBe(plan, outcome, stopping))
    faults.push(`${plan.kind}, client ${plan.client}: logged as ${outcome}`)
  if ((gateway.asked.get(id) ?? 0) > 1) faults.push(`asked of the gateway twice: ${plan.kind}`)
}
const growth = heapGrowth(proxy.samples)
if (growth > 1.6) faults.push(`the heap grew to ${growth.toFixed(2)} times what it was after the warm-up`)

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`
const residents = proxy.samples.map(({ resident }) => resident)
console.log(`seed ${seed}: ${n} exchanges in ${elapsed().toFixed(0)} s, ${streams} at once`)
console.log(`descriptors: ${descriptorsBefore} before, ${descriptorsAfter} after`)
console.log(
  `resident memory: ${mebibytes(residents[0] ?? 0)} at first, ${mebibytes(Math.max(...residents))} at most; after the warm-up ${mebibytes(slopePerMinute(warm(proxy.samples), ({ resident }) => resident))} a minute, heap ${mebibytes(slopePerMinute(warm(proxy.samples), ({ heap }) => heap))} a minute, smallest heap ${growth.toFixed(2)} times`,
)
const tenths = proxy.samples.filter((_, index) => index % Math.ceil(proxy.samples.length / 10) === 0)
console.log(
  `each tenth of the time, resident/heap: ${tenths.map(({ resident, heap }) => `${(resident / 2 ** 20).toFixed(0)}/${(heap / 2 ** 20).toFixed(0)}`).join(' ')}`,
)
console.log(`at SIGTERM ${atTheEnd.size} ran; exit code ${exitCode}`)
for (const fault of faults.slice(0, 20)) console.log(`FAULT ${fault}`)
console.log(
  faults.length === 0 ? 'every exchange was exact or failed visibly, and was counted once' : `${faults.length} faults`,
)
process.exit(faults.length === 0 ? 0 : 1)
