import type { CommandEntry } from './command.ts'

/** In the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'check-config',
    summary: 'tell every problem of a configuration file',
    load: async () => (await import('./check-config.ts')).checkConfig,
  },
]
