// A process of its own: two simulated gateways, the product before them, and the demo's traffic. Told to the parent: { metrics: HOST:PORT }.

import { createDemoClient } from '../../dist/src/cli/demo-request.js'
import { startSimulatorThread } from '../../dist/src/cli/demo-simulators.js'
import { startTraffic } from '../../dist/src/cli/demo-traffic.js'
import { configFrom } from '../../dist/src/config/load.js'
import { startService } from '../../dist/src/service.js'

const seed = Number(process.argv[2])
process.env.no_proxy = process.env.NO_PROXY = '*'

/** Made up, USD per million tokens. */
const models = {
  'sim/fast': { input: 0.15, cachedInput: 0.075, cacheWrite: 0, output: 0.6 },
  'sim/cached': { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
  'sim/frontier': { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
}

const simulators = await Promise.all(['east', 'west'].map((name, at) => startSimulatorThread(name, 0, seed + at)))
const service = await startService(
  configFrom({
    gateways: simulators.map(({ name, url }) => ({ name, url, models })),
    proxy: { port: 0 },
    admin: { port: 0 },
    labels: { inputSize: true },
  }),
  { log: { write: () => undefined } },
)
const address = new URL(service.proxyUrl).origin
const client = createDemoClient()
startTraffic(client, address)
// What is no generation: the demo's apps send none.
setInterval(() => {
  const gateway = Math.random() < 0.5 ? 'east' : 'west'
  const body = { model: 'sim/embedding', input: 'the gauge at the weir' }
  void client.send({ base: `${address}/@search/${gateway}`, path: '/v1/embeddings', body })
}, 2500)
process.on('message', ({ slow }) => {
  for (const simulator of simulators) void simulator.slow(slow, 2)
})
// Without a parent it is of no use.
process.on('disconnect', () => process.exit(0))
process.send({ metrics: new URL(service.adminUrl).host })
