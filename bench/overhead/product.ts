// The product as shipped: metrics and exchange log on (the log goes to a file, as it would in a container). It also keeps the absolute instants
// of its first tokens, which only this benchmark asks for.
import { createWriteStream } from 'node:fs'
import { loadConfig } from '../../src/config/load.ts'
import { startService } from '../../src/service.ts'

const loaded = loadConfig({ env: {}, flags: { gateway: `${process.argv[2]}/v1`, port: '0', 'admin-port': '0' } })
if (!('config' in loaded)) throw new Error(JSON.stringify(loaded.problems))
const log = createWriteStream('/dev/null')
const keepMarks = process.argv[3] === '--marks'
/** performance.now() beside the machine's monotonic clock, ns. */
const offset = process.hrtime.bigint() - BigInt(Math.round(performance.now() * 1e6))
const marks: Record<string, { at: string; uncertaintyNs: number }> = {}
const service = await startService(loaded.config, {
  log: { write: (line) => void log.write(line) },
  recorders: keepMarks
    ? [
        {
          started() {},
          firstToken() {},
          ended(measurement) {
            const { firstToken } = measurement.marks
            if (firstToken === undefined || measurement.uncertaintyMs === undefined) return
            const at = offset + BigInt(Math.round(firstToken * 1e6))
            marks[measurement.identity.app] = {
              at: String(at),
              uncertaintyNs: Math.round(measurement.uncertaintyMs * 1e6),
            }
          },
        },
      ]
    : [],
})
process.stdout.write(`${new URL(service.proxyUrl).port} ${new URL(service.adminUrl).port}\n`)
process.on('message', (message) => {
  if (message === 'marks') process.send?.(marks)
})
process.on('disconnect', () => process.exit(0))
