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
    name: 'demo',
    summary: 'simulated gateways, the proxy and gentle traffic: numbers within a minute, no key needed',
    load: async () => (await import('./demo.ts')).demo,
  },
  {
    name: 'bench',
    summary: 'measure models and gateways side by side: repeated runs, honest statistics',
    load: async () => (await import('./bench.ts')).bench,
  },
  {
    name: 'compare',
    summary: 'tell whether one run of the bench is worse than another',
    load: async () => (await import('./compare.ts')).compare,
  },
  {
    name: 'simulate',
    summary: 'a simulated gateway alone, for trying and testing',
    load: async () => (await import('./simulate.ts')).simulate,
  },
  {
    name: 'check-config',
    summary: 'tell every problem of a configuration file',
    load: async () => (await import('./check-config.ts')).checkConfig,
  },
]
