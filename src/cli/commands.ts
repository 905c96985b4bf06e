import type { CommandEntry } from './command.ts'

/** In the order of the help. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'serve',
    summary: 'the proxy: pass every byte through, measure it',
    load: async () => {
      const [{ serveWith }, { startService }] = await Promise.all([import('./serve.ts'), import('../service.ts')])
      return serveWith(startService)
    },
  },
  {
    name: 'check-config',
    summary: 'tell every problem of a configuration file',
    load: async () => (await import('./check-config.ts')).checkConfig,
  },
]
