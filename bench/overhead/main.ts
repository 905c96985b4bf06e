// npm run overhead: what the proxy costs, beside other ways of doing it, in one run. See docs/performance.md.
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { markdownOf } from './markdown.ts'
import { measure, type Row } from './measurements.ts'
import { start, stop } from './processes.ts'
import { holdOfScrapes } from './scrapes.ts'
import { checkRatios, format, judge, summarise, tableOf } from './summary.ts'
import { isAvailable, loadCore, startTarget, type TargetName, targetNames } from './targets.ts'

const { values: flags } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    targets: { type: 'string' },
    json: { type: 'string' },
    markdown: { type: 'string' },
    check: { type: 'boolean', default: false },
  },
})
const { quick } = flags
const rounds = Number(flags.rounds ?? (quick ? 2 : 5))
/** `--quick` leaves out what must be installed, and viewers. */
const usual = quick ? targetNames.filter((name) => !/portkey|viewer/.test(name)) : targetNames
const wanted = (flags.targets?.split(';') as TargetName[] | undefined) ?? usual
const names = wanted.filter(isAvailable)
const series = quick ? [2000] : [2000, 20_000, 100_000]

const samples = new Map<TargetName, Row[]>(names.map((name) => [name, []]))
const { child: gateway, line } = await start('gateway', [], loadCore)
const gatewayPort = Number(line)

// One round alone has no warm-up: it is for ratios in CI.
for (let round = rounds > 1 ? 0 : 1; round <= rounds; round++) {
  // A rotating order, so that no target always runs after the same one; the first round only warms up.
  const order = names.map((_, i) => names[(i + round) % names.length] as TargetName)
  for (const name of order) {
    const target = await startTarget(name, gatewayPort)
    const row = await measure(target, { quick: quick || round === 0, gatewayPort })
    await target.stop()
    if (round > 0) samples.get(name)?.push(row)
    process.stderr.write(`round ${round}/${rounds} ${name}: ${JSON.stringify(row)}\n`)
  }
}
const scrapes: Row[] = []
if (names.includes('streamgauge')) for (const count of series) scrapes.push(await holdOfScrapes(gatewayPort, count))
await stop(gateway)

const summary = summarise(samples)
process.stdout.write(tableOf(summary))
for (const row of scrapes) {
  process.stdout.write(
    `\n${Object.entries(row)
      .map(([name, value]) => `${name} ${format(value)}`)
      .join(', ')}`,
  )
}
process.stdout.write(`\n\n${judge(summary).join('\n')}\n`)
const faults = checkRatios(summary)
if (flags.check && faults.length > 0) {
  process.stdout.write(`\nfar from what it should cost:\n${faults.join('\n')}\n`)
  process.exitCode = 1
}
if (flags.markdown !== undefined) writeFileSync(flags.markdown, markdownOf(summary, scrapes))
if (flags.json !== undefined) {
  const result = { node: process.version, rounds, quick, summary, scrapes }
  writeFileSync(flags.json, `${JSON.stringify(result, null, 2)}\n`)
}
