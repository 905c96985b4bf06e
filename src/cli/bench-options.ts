import type { Option } from './command.ts'

/** What they set, and what may be written, is in src/config/bench-flags.ts and bench-schema.ts. */
export const benchOptions: readonly Option[] = [
  {
    name: 'base-url',
    kind: 'texts',
    placeholder: '[NAME=]URL',
    help: 'what an OpenAI client would use: a gateway, or a proxy in front of it',
  },
  { name: 'model', kind: 'texts', placeholder: 'NAME', help: 'model to measure' },
  {
    name: 'plan',
    kind: 'text',
    placeholder: 'FILE',
    help: 'all of this and more in a YAML file; see config/bench.yaml. Options win',
  },
  { name: 'api-key-env', kind: 'text', placeholder: 'VARIABLE', help: 'environment variable that holds the key' },
  {
    name: 'header',
    kind: 'texts',
    placeholder: '"NAME: VALUE"',
    help: 'sent with every request; ${ENV} in it is replaced',
  },
  {
    name: 'operation',
    kind: 'text',
    placeholder: 'API',
    help: 'chat, completions, responses or messages (chat)',
  },
  {
    name: 'prompt',
    kind: 'texts',
    placeholder: 'PROMPT',
    help: 'function, 1k, 8k, 32k, a text file or a .jsonl file (function)',
  },
  { name: 'max-tokens', kind: 'text', placeholder: 'NUMBER', help: 'most tokens to generate (256)' },
  { name: 'temperature', kind: 'text', placeholder: 'NUMBER', help: '0 to 2, or none: not sent (0)' },
  { name: 'runs', kind: 'text', placeholder: 'NUMBER', help: 'of each; the first is the cold one (11)' },
  {
    name: 'prompt-mode',
    kind: 'text',
    placeholder: 'MODE',
    help: 'uncached: a nonce begins each prompt; cached: it repeats exactly; both (both)',
  },
  {
    name: 'cache-hint',
    kind: 'text',
    placeholder: 'HINT',
    help: 'how the cached prompt says so: none, cache_control or prompt_cache_key (none)',
  },
  {
    name: 'concurrency',
    kind: 'text',
    placeholder: 'LIST',
    help: 'closed loops, such as 1,2,4,8,16: streams kept running side by side (1)',
  },
  {
    name: 'rate',
    kind: 'text',
    placeholder: 'LIST',
    help: 'open loops, such as 0.5,1,2: requests a second, whatever still runs',
  },
  { name: 'arrivals', kind: 'text', placeholder: 'KIND', help: 'of open loops: poisson or constant (poisson)' },
  { name: 'requests', kind: 'text', placeholder: 'NUMBER', help: 'of each open loop (60)' },
  {
    name: 'decide',
    kind: 'text',
    placeholder: 'PURPOSE',
    help: 'rank what was measured: interactive (people wait) or batch',
  },
  { name: 'seed', kind: 'text', placeholder: 'NUMBER', help: 'of the order of runs and of arrivals (1)' },
  { name: 'json', kind: 'text', placeholder: 'FILE', help: 'every exchange with its marks; - for standard output' },
  { name: 'markdown', kind: 'text', placeholder: 'FILE', help: 'the report for a pull request; - for standard output' },
  { name: 'html', kind: 'text', placeholder: 'FILE', help: 'the report with pictures, one file' },
]
