import type { Command, ExitCode } from './command.ts'
import { demoOnce } from './demo-once.ts'
import { createDemoClient } from './demo-request.ts'
import { announce, type DemoStage, openStage } from './demo-stage.ts'
import { dayMs, startTraffic } from './demo-traffic.ts'
import type { Io } from './io.ts'

const regressAfterMs = 2 * 60_000
const regressedModel = 'sim/frontier'

export const demo: Command = {
  options: [
    {
      name: 'once',
      kind: 'flag',
      help: 'about ten seconds of traffic, a table beside the truth, exit 0 if they agree',
    },
    {
      name: 'against',
      kind: 'text',
      placeholder: 'URL',
      help: 'traffic alone, to a proxy that runs already and has simulated gateways named east and west',
    },
    { name: 'regress', kind: 'flag', help: `after two minutes the TTFT of ${regressedModel} doubles` },
  ],
  operands: [],
  notes: `Two simulated gateways, the proxy and gentle traffic of four apps: no key and no network are needed.
A day of theirs takes ${dayMs / 60_000} minutes. It runs until it is stopped.`,
  async run({ flags, text, io }) {
    const { once, regress } = { once: flags['once'] === true, regress: flags['regress'] === true }
    const against = text['against']
    if (against === undefined) return once ? demoOnce(io) : untilStopped(io, regress)
    if (!once && !regress && URL.canParse(against)) return trafficAlone(io, new URL(against).origin)
    io.err('streamgauge: --against takes a URL such as http://127.0.0.1:8484 and no other option beside it\n')
    return 2
  },
}

/** Resolves at the first signal to stop. */
function stopped(io: Io): Promise<void> {
  return new Promise((resolve) => {
    const off = io.onStop(() => {
      off()
      resolve()
    })
  })
}

async function untilStopped(io: Io, regress: boolean): Promise<ExitCode> {
  const stop = stopped(io)
  const stage = await openStage({ defaultPorts: true, log: { write: () => undefined } })
  announce(io, stage)
  const client = createDemoClient()
  const stopTraffic = startTraffic(client, stage.proxyUrl)
  const timer = regress ? setTimeout(() => void slowDown(io, stage), regressAfterMs) : undefined
  io.out('traffic   four apps: editor, chat, agent, batch. Stop with Ctrl-C.\n')
  await stop
  clearTimeout(timer)
  stopTraffic()
  client.close()
  await stage.close()
  return 0
}

async function trafficAlone(io: Io, address: string): Promise<ExitCode> {
  const client = createDemoClient()
  const stopTraffic = startTraffic(client, address)
  io.out(`traffic   to ${address}\n`)
  await stopped(io)
  stopTraffic()
  client.close()
  return 0
}

async function slowDown(io: Io, stage: DemoStage): Promise<void> {
  for (const simulator of stage.simulators) await simulator.slow(regressedModel, 2)
  io.out(`regress   the TTFT of ${regressedModel} is twice what it was\n`)
}
