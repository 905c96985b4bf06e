import { loadConfig } from '../config/load.ts'
import { toLoggable } from '../config/loggable.ts'
import { showProblem } from '../config/problems.ts'
import type { Command } from './command.ts'

export const checkConfig: Command = {
  options: [],
  operands: ['FILE'],
  notes: `The file is judged by itself: STREAMGAUGE_… variables do not count, those that it names (apiKeyEnv, \${NAME}) must be set.
Every problem is told with its place; the exit code is 1 if there is any.`,
  run: async ({ operands: [file], io }) => {
    const own = Object.entries(io.env).filter(([name]) => !name.startsWith('STREAMGAUGE_'))
    const loaded = loadConfig({ file: String(file), env: Object.fromEntries(own), gateway: 'may come from elsewhere' })
    if ('problems' in loaded) {
      for (const problem of loaded.problems) io.err(`${showProblem(problem)}\n`)
      io.err(`${file}: ${loaded.problems.length === 1 ? '1 problem' : `${loaded.problems.length} problems`}\n`)
      return 1
    }
    io.out(`${JSON.stringify(toLoggable(loaded.config), null, 2)}\n`)
    io.out(`${file}: no problem found\n`)
    if (loaded.config.gateways.length === 0) {
      io.out('It lists no gateway: serve needs --gateway URL or STREAMGAUGE_GATEWAY beside it.\n')
    }
    return 0
  },
}
