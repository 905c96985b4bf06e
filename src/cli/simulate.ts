import { models } from '../simulator/models.ts'
import { type Simulator, startSimulator } from '../simulator/simulator.ts'
import type { Command } from './command.ts'
import type { Io } from './io.ts'
import { readPort } from './port-option.ts'

const width = Math.max(...models.map(({ name }) => name.length))
const modelList = models.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`).join('\n')

export const simulate: Command = {
  options: [
    { name: 'port', kind: 'text', placeholder: 'PORT', help: 'port to listen on, 8585 if not given; 0: any free one' },
    { name: 'host', kind: 'text', placeholder: 'HOST', help: 'address to listen on, 127.0.0.1 if not given' },
    { name: 'seed', kind: 'text', placeholder: 'NUMBER', help: 'the same seed gives the same answers; 1 if not given' },
  ],
  operands: [],
  notes: `models:
${modelList}

A request may script its own answer: docs/simulator.md.`,
  async run({ text, io }) {
    const port = readPort(text['port'] ?? '8585')
    const seed = Number(text['seed'] ?? '1')
    const host = text['host'] ?? '127.0.0.1'
    if (port === undefined || !Number.isSafeInteger(seed)) {
      const fault = port === undefined ? '--port must be a number from 0 to 65535' : '--seed must be a whole number'
      io.err(`streamgauge: ${fault}\n`)
      return 2
    }
    const simulator = await start(io, host, port, seed)
    if (simulator === undefined) return 1
    // Listened for before anything is said: who reads the address may stop it at once.
    const stopped = new Promise<void>((resolve) => {
      const off = io.onStop(() => {
        off()
        resolve()
      })
    })
    io.out(`base_url  ${simulator.url}\n`)
    io.out(`models    ${models.map(({ name }) => name).join(' ')}\n`)
    io.out(`truth     ${simulator.url.replace(/\/v1$/, '')}/sim/truths\n`)
    await stopped
    await simulator.close()
    return 0
  },
}

async function start(io: Io, host: string, port: number, seed: number): Promise<Simulator | undefined> {
  try {
    return await startSimulator({ host, port, seed })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'is in use; choose another with --port' : `cannot be listened on: ${message}`
    io.err(`streamgauge: ${host}:${port} ${why}\n`)
    return undefined
  }
}
