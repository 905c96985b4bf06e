import * as z from 'zod'
import { complaint } from './complaint.ts'
import { checkGatewayName } from './gateway-name.ts'
import { checkGatewayUrl } from './gateway-url.ts'
import { duration, flag, price, size } from './leaf-values.ts'
import { list, mapping, section } from './structures.ts'

export const noVariableName = complaint('the name of an environment variable (not the key itself)', 'secret')

const timeouts = section({
  connect: duration('zero allowed').prefault('10s').describe('Longest wait for a connection (TCP and TLS). 0: none.'),
  firstByte: duration('zero allowed')
    .prefault(0)
    .describe('Longest wait for the first byte of the answer, from the last byte of the request. 0: none.'),
  idle: duration('zero allowed').prefault('30m').describe('Longest silence inside an answer. 0: none.'),
  total: duration('zero allowed').prefault(0).describe('Longest time for the whole exchange. 0: none.'),
}).prefault({})

export const tls = section({
  ca: z
    .string({ error: complaint('the path of a PEM file, or "" for none') })
    .default('')
    .describe(
      'PEM file with certificates to trust besides the usual ones; a relative path starts at the configuration file. Empty: none.',
    ),
  insecure: flag().default(false).describe('Accept any certificate. Whoever is on the way can then read the keys.'),
}).prefault({})

export const priceOfModel = section({
  input: price().describe('Prompt tokens that did not come from a cache.'),
  cachedInput: price().optional().describe('Prompt tokens read from a cache. Left out: as `input`.'),
  cacheWrite: price().optional().describe('Prompt tokens written to a cache. Left out: as `input`.'),
  output: price().describe('Generated tokens, reasoning included.'),
}).transform((given) => ({
  input: given.input,
  cachedInput: given.cachedInput ?? given.input,
  cacheWrite: given.cacheWrite ?? given.input,
  output: given.output,
}))

export const gatewaySchema = section({
  name: z
    .string({ error: complaint('a name') })
    .superRefine(checkGatewayName)
    .describe('Name in paths (`/NAME/v1`) and labels. Not `v1`, `api`, `openai`; letters, digits, `.`, `_`, `-`.'),
  url: z
    .string({ error: complaint('the base_url an OpenAI client would use, such as https://openrouter.ai/api/v1') })
    .superRefine(checkGatewayUrl)
    .describe(
      'The base_url an OpenAI client would use for it. May have a query; a key of the same name sent by the client wins.',
    ),
  headers: mapping(z.string({ error: complaint('a text', 'secret') }), 'header names with their values')
    .default({})
    .describe(
      'Set on every request, replacing what the client sent. `${ENV}` in a value is replaced by that environment variable; `$${` stands for `${`.',
    ),
  apiKeyEnv: z
    .string({ error: noVariableName })
    .regex(/^([A-Za-z_][A-Za-z0-9_]*)?$/, { error: noVariableName })
    .default('')
    .describe(
      "Environment variable with the gateway's key, used where the client sends none or a dummy one. Empty: none.",
    ),
  timeouts,
  tls,
  maxHeaderBytes: size(1024, 16 * 2 ** 20)
    .prefault('64KiB')
    .describe('Largest head of an answer (status line and headers).'),
  models: mapping(priceOfModel, 'model names with their prices')
    .prefault({})
    .describe('Prices in USD per million tokens, for gateways that do not report a cost.'),
}).describe('A gateway. The first is the default.')

export const gatewaysSchema = list(gatewaySchema, 'a list of gateways').describe(
  'The gateways that requests are forwarded to; the first is the default.',
)
