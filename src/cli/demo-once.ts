import { setTimeout as delay } from 'node:timers/promises'
import type { ExitCode } from './command.ts'
import { collectExchanges, type LoggedExchange } from './demo-exchanges.ts'
import { sendLoad, warmUpModel } from './demo-load.ts'
import { createDemoClient } from './demo-request.ts'
import { announce, type DemoStage, openStage } from './demo-stage.ts'
import { type Comparison, compareAll, pairUp } from './demo-table.ts'
import type { Io } from './io.ts'

/** A machine that is busy with something else can hold the proxy back for longer than the tolerance. It is given one more chance. */
const mostAttempts = 2

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
    for (let attempt = 1; attempt <= mostAttempts; attempt++) {
      io.out('traffic   about ten seconds over all simulated models …\n\n')
      const before = client.sent
      const known = new Set((await truthsOf(stage)).map(({ id }) => id))
      await sendLoad(client, stage.proxyUrl, () => stopped)
      if (stopped) return 1
      await until(() => log.exchanges.length >= client.sent)
      const { table, disagreements } = await judge(stage, log.exchanges.slice(before), known)
      for (const line of table) io.out(`${line}\n`)
      for (const fault of disagreements) io.err(`disagree: ${fault}\n`)
      if (disagreements.length === 0) {
        io.out("\nThe proxy's medians agree with what the simulators did.\n")
        return 0
      }
      if (attempt < mostAttempts) io.out('\nThey do not agree. Perhaps the machine was busy: once more.\n')
    }
    return 1
  } finally {
    off()
    client.close()
    await stage.close()
  }
}

async function truthsOf(stage: DemoStage) {
  return (await Promise.all(stage.simulators.map((simulator) => simulator.truths()))).flat()
}

async function judge(
  stage: DemoStage,
  exchanges: readonly LoggedExchange[],
  known: ReadonlySet<string>,
): Promise<Comparison> {
  const truths = (await truthsOf(stage)).filter(({ id, model }) => !known.has(id) && model !== warmUpModel)
  const { pairs, strays } = pairUp(
    exchanges.filter(({ model }) => model !== warmUpModel),
    truths,
  )
  const { table, disagreements } = compareAll(pairs)
  return { table, disagreements: [...strays, ...disagreements] }
}

/** A line is written when its exchange is over, which may be a moment after the client has its last byte. */
async function until(holds: () => boolean): Promise<void> {
  for (let waited = 0; !holds() && waited < 5000; waited += 10) await delay(10)
}
