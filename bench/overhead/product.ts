// The product as shipped: metrics and exchange log on (to a file, one write a line, as standard output is written). It also keeps the absolute instants of its
// first tokens, which only this benchmark asks for. Arguments: the gateway's origin, and `wide` for as many label sets as there are streams.
import { mkdtempSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/load.ts'
import { startService } from '../../src/service.ts'

const flags: Record<string, string> = { gateway: `${process.argv[2]}/v1`, port: '0', 'admin-port': '0' }
if (process.argv[3] === 'wide') {
  const file = join(mkdtempSync(join(tmpdir(), 'overhead-wide-')), 'streamgauge.yaml')
  writeFileSync(file, 'labels: { maxModels: 10000, maxApps: 10000, maxSets: 100000 }\n')
  flags['config'] = file
}
const loaded = loadConfig({ env: {}, flags })
if (!('config' in loaded)) throw new Error(JSON.stringify(loaded.problems))
const log = openSync(join(mkdtempSync(join(tmpdir(), 'overhead-log-')), 'exchanges.log'), 'w')
/** performance.now() beside the machine's monotonic clock, ns. */
const offset = process.hrtime.bigint() - BigInt(Math.round(performance.now() * 1e6))
let marks: Record<string, { at: string; uncertaintyNs: number }> = {}
const service = await startService(loaded.config, {
  log: { write: (line) => void writeSync(log, line) },
  recorders: [
    {
      started() {},
      firstToken() {},
      ended({ identity, marks: { firstToken }, uncertaintyMs }) {
        if (firstToken === undefined || uncertaintyMs === undefined) return
        const at = offset + BigInt(Math.round(firstToken * 1e6))
        marks[identity.app] = { at: String(at), uncertaintyNs: Math.round(uncertaintyMs * 1e6) }
      },
    },
  ],
})
let watching = false
let longestTurn = 0

/** The longest time between two turns of the event loop, which never waits meanwhile. */
function watch(): void {
  watching = true
  longestTurn = 0
  let last = performance.now()
  const turn = (): void => {
    const now = performance.now()
    longestTurn = Math.max(longestTurn, now - last)
    last = now
    if (watching) setImmediate(turn)
  }
  turn()
}

process.stdout.write(`${new URL(service.proxyUrl).port} ${new URL(service.adminUrl).port}\n`)
process.on('message', (message) => {
  if (message === 'marks') {
    process.send?.(marks)
    marks = {}
  } else if (message === 'watch') watch()
  else if (message === 'watched') {
    watching = false
    process.send?.(longestTurn)
  }
})
process.on('disconnect', () => process.exit(0))
