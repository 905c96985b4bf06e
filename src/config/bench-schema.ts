import * as z from 'zod'
import { complaint } from './complaint.ts'
import type { DeepReadonly } from './freeze.ts'
import { noVariableName, priceOfModel, tls } from './gateway-schema.ts'
import { checkGatewayUrl } from './gateway-url.ts'
import { duration, text, whole } from './leaf-values.ts'
import { list, mapping, section } from './structures.ts'

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: complaint(`${values.slice(0, -1).join(', ')} or ${values.at(-1)}`) })

/** What the bench can ask for: the OpenAI-compatible operations. */
export const benchOperations = ['chat', 'completions', 'responses', 'messages'] as const
export const promptModes = ['uncached', 'cached', 'both'] as const
export const arrivalKinds = ['poisson', 'constant'] as const
export const purposes = ['interactive', 'batch'] as const

const target = section({
  name: z
    .string({ error: complaint('a name') })
    .regex(/^[\w.-]{0,64}$/, { error: complaint('a name of letters, digits, ".", "_" or "-", at most 64') })
    .default('')
    .describe('Name in the results. Empty: the host of baseUrl.'),
  baseUrl: z
    .string({ error: complaint('the base_url an OpenAI client would use, such as http://127.0.0.1:8484/v1') })
    .superRefine(checkGatewayUrl)
    .describe('The base_url an OpenAI client would use: of a gateway, or of a proxy in front of it.'),
  models: list(text('a model name'), 'a list of model names')
    .min(1, { error: complaint('a list of at least one model name') })
    .describe('Models to measure; each is compared with the others.'),
  operation: oneOf(benchOperations).default('chat').describe('API to ask.'),
  apiKeyEnv: z
    .string({ error: noVariableName })
    .regex(/^([A-Za-z_]\w*)?$/, { error: noVariableName })
    .default('')
    .describe('Environment variable that holds the key. Empty: none is sent.'),
  headers: mapping(z.string({ error: complaint('a text', 'secret') }), 'header names with their values')
    .default({})
    .describe('Sent with every request. `${ENV}` in a value is replaced by that environment variable.'),
  body: z
    .record(z.string(), z.unknown(), { error: complaint('a mapping of request fields') })
    .default({})
    .describe('Fields laid over the request, such as `provider` or `reasoning`.'),
  cacheHint: oneOf(['none', 'cache_control', 'prompt_cache_key'])
    .default('none')
    .describe('How the cached prompt says that it may be cached.'),
  prices: mapping(priceOfModel, 'model names with their prices')
    .prefault({})
    .describe('USD per million tokens, for gateways that report no cost.'),
  tls,
})

const rate = section({
  perSecond: list(z.number({ error: complaint('a number above 0') }).positive(), 'a list of rates, such as [0.5, 1, 2]')
    .default([])
    .describe('Open loop: requests a second, whatever is still running. Empty: closed loops alone.'),
  arrivals: oneOf(arrivalKinds).default('poisson').describe('How requests are spread over time.'),
  requests: whole(4, 100_000).default(60).describe('Requests at each rate.'),
  mostInFlight: whole(1, 100_000).default(256).describe('More at once than this, and the rate is given up.'),
}).prefault({})

const timeouts = section({
  connect: duration('above zero').prefault('10s').describe('Longest wait for a connection.'),
  firstByte: duration('above zero').prefault('2m').describe('Longest wait for the first byte of an answer.'),
  idle: duration('above zero').prefault('1m').describe('Longest silence inside an answer.'),
}).prefault({})

/** The one source of types, checks and the table in the docs. */
export const benchSchema = section({
  targets: list(target, 'at least one target: --base-url URL and --model NAME, or targets in a plan')
    .min(1, { error: complaint('at least one target: --base-url URL and --model NAME, or targets in a plan') })
    .describe('What to measure.'),
  prompts: list(text('the name of a built-in prompt, or a file'), 'a list of prompts')
    .min(1, { error: complaint('a list of at least one prompt') })
    .default(['function'])
    .describe('`function`, `1k`, `8k`, `32k`; a text file; a `.jsonl` file with one `{"prompt": …}` a line.'),
  maxTokens: whole(1, 1_000_000).default(256).describe('Most tokens to generate.'),
  temperature: z
    .union([z.number().min(0).max(2), z.literal('none')], { error: complaint('a number from 0 to 2, or none') })
    .default(0)
    .describe('`none`: not sent.'),
  runs: whole(2, 100_000).default(11).describe('Of each target, model and prompt; the first is the cold one.'),
  promptMode: oneOf(promptModes)
    .default('both')
    .describe('`uncached`: each prompt begins with a nonce; `cached`: it repeats exactly.'),
  concurrency: list(whole(1, 10_000), 'a list of whole numbers, such as [1, 2, 4, 8]')
    .min(1, { error: complaint('a list of at least one whole number') })
    .default([1])
    .describe('Closed loops: streams kept running side by side.'),
  rate,
  decide: oneOf(purposes).optional().describe('Rank what was measured for this purpose.'),
  seed: whole(0, 2 ** 31 - 1)
    .default(1)
    .describe('Of the order of runs, arrivals and resampling.'),
  timeouts,
})

export type BenchPlanInput = z.input<typeof benchSchema>
type Read = z.output<typeof benchSchema>

/** A plan, complete and frozen. `apiKey` and `headers` are what is sent; `''`: none. Durations in ms. Paths of prompt files are absolute. */
export type BenchPlan = DeepReadonly<
  Omit<Read, 'targets'> & { targets: (Omit<Read['targets'][number], 'apiKeyEnv'> & { apiKey: string })[] }
>
export type BenchTarget = BenchPlan['targets'][number]
export type Purpose = (typeof purposes)[number]

export const builtInPromptNames = ['function', '1k', '8k', '32k'] as const
