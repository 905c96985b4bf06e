import { setTimeout as delay } from 'node:timers/promises'
import type { ExitCode } from './command.ts'
import { collectExchanges, type LoggedExchange } from './demo-exchanges.ts'
import { sendLoad, warmUpModel } from './demo-load.ts'
import { createDemoClient } from './demo-request.ts'
import { announce, type DemoStage, openStage } from './demo-stage.ts'
import { type ComparedModel, compareAll, pairUp, tableOf } from './demo-table.ts'
import type { Io } from './io.ts'

/** A machine that is busy with something else can hold the proxy back for longer than the tolerance: what disagrees is asked again. */
const mostAttempts = 3

/** A fixed load, and the proxy's figures beside what the simulators did. 0 only if they agree. */
export async function demoOnce(io: Io): Promise<ExitCode> {
  const log = collectExchanges()
  const client = createDemoClient()
  const stage = await openStage({ defaultPorts: false, log })
  let stopped = false
  const off = io.onStop(() => {
    stopped = true
    client.close()
  })
  try {
    announce(io, stage)
    io.out('traffic   about ten seconds over all simulated models …\n')
    const found = new Map<string, ComparedModel>()
    let strays: string[] = []
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      const again = new Set([...found.values()].flatMap(({ model, faults }) => (faults.length > 0 ? [model] : [])))
      if (attempt > 1 && again.size === 0) break
      if (attempt > 1) io.out(`traffic   once more, for the machine may be busy: ${[...again].join(' ')}\n`)
      const [before, known] = [log.exchanges.length, new Set((await truthsOf(stage)).map(({ id }) => id))]
      const only = attempt > 1 ? again : undefined
      await sendLoad(client, { address: stage.proxyUrl, only, stopped: () => stopped })
      if (stopped) return 1
      await until(() => log.exchanges.length >= client.sent)
      const paired = await pairs(stage, log.exchanges.slice(before), known)
      strays = [...strays, ...paired.strays]
      for (const compared of compareAll(paired.pairs)) found.set(compared.model, compared)
    }
    return report(io, [...found.values()], strays)
  } finally {
    off()
    client.close()
    await stage.close()
  }
}

function report(io: Io, compared: readonly ComparedModel[], strays: readonly string[]): ExitCode {
  io.out('\n')
  for (const line of tableOf(compared)) io.out(`${line}\n`)
  const faults = [...strays, ...compared.flatMap((model) => model.faults)]
  for (const fault of faults) io.err(`disagree: ${fault}\n`)
  if (faults.length > 0) return 1
  io.out("\nThe proxy's medians agree with what the simulators did.\n")
  return 0
}

async function truthsOf(stage: DemoStage) {
  return (await Promise.all(stage.simulators.map((simulator) => simulator.truths()))).flat()
}

async function pairs(stage: DemoStage, exchanges: readonly LoggedExchange[], known: ReadonlySet<string>) {
  const truths = (await truthsOf(stage)).filter(({ id, model }) => !known.has(id) && model !== warmUpModel)
  const counted = exchanges.filter(({ model }) => model !== warmUpModel)
  return pairUp(counted, truths)
}

/** A line is written when its exchange is over, which may be a moment after the client has its last byte. */
async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 5000; waited += 10) await delay(10)
}
