import { isIP } from 'node:net'
import * as z from 'zod'
import { complaint } from './complaint.ts'
import type { DeepReadonly } from './freeze.ts'
import { gatewaysSchema } from './gateway-schema.ts'
import { histogramNames } from './histogram-names.ts'
import { duration, flag, host, isHostName, size, text, whole } from './leaf-values.ts'
import { list, mapping, section } from './structures.ts'

const proxy = section({
  host: host().default('127.0.0.1').describe('Address the proxy listens on.'),
  port: whole(0, 65_535).default(8484).describe('Port the proxy listens on. 0: any free one.'),
  maxBodyBytes: size(1024, 2 ** 30)
    .prefault('64MiB')
    .describe('Largest request body of a generation (read whole before it is sent); a larger one is answered 413.'),
  maxHeaderBytes: size(1024, 16 * 2 ** 20)
    .prefault('64KiB')
    .describe("Largest head of a client's request."),
  maxStreams: whole(1, 1_000_000).default(4096).describe('Most exchanges at once; one more is answered 503.'),
  keepAlive: duration('zero allowed')
    .prefault('75s')
    .describe(
      'How long an idle connection of a client stays open; longer than in the load balancer in front. 0: for ever.',
    ),
  clientStall: duration('zero allowed')
    .prefault('10m')
    .describe('Longest time for which a client may read nothing of its answer. 0: none.'),
  drainDelay: duration('zero allowed')
    .prefault(0)
    .describe(
      'How long after SIGTERM new requests are still served while /readyz says 503: time for a load balancer that asks it. A part of `drain`. 0: none.',
    ),
  drain: duration('zero allowed')
    .prefault('10m')
    .describe('How long running streams may finish after SIGTERM. 0: they are cut at once.'),
  allowedHosts: list(hostName(), 'a list of host names')
    .prefault([])
    .describe(
      'Host names that clients may use besides loopback ones, where no clientKeys are set. A port is not part of them.',
    ),
  clientKeys: list(sha256(), 'a list of SHA-256 hashes')
    .prefault([])
    .describe('SHA-256 (hexadecimal) of the keys of which clients must send one. Empty: no key is asked.'),
  dummyKeys: list(text('a key that means "none"'), 'a list of texts')
    .default(['dummy', 'none', 'sk-no-key'])
    .describe("Client keys that mean none: the gateway's own (apiKeyEnv) is used instead."),
})

const admin = section({
  host: host().default('127.0.0.1').describe('Address of the second listener: live page, metrics, health.'),
  port: whole(0, 65_535).default(9484).describe('Port of the second listener. 0: any free one.'),
  token: z
    .string({ error: complaint('a text', 'secret') })
    .default('')
    .describe('Asked as `Authorization: Bearer`. Only as `${ENV}`, never the token itself. Empty: no token is asked.'),
})

const labels = section({
  maxModels: whole(1, 10_000).default(100).describe('Most models with a label of their own; the rest is `other`.'),
  maxApps: whole(1, 10_000).default(50).describe('Most apps with a label of their own; the rest is `other`.'),
  maxSets: whole(1, 100_000).default(1000).describe('Most label sets in all.'),
  inputSize: flag().default(false).describe('Adds the label `input_size` to time_to_first_token_by_cache_seconds.'),
  models: section({
    allow: list(text('a model name'), 'a list of model names')
      .default([])
      .describe('Only these models get a label of their own. Empty: all.'),
    rename: mapping(text('the name to use as label'), 'model names with the name to use as label')
      .default({})
      .describe('Label to use for a model instead of its name.'),
  }).prefault({}),
})

const metrics = section({
  defaultMetrics: flag().default(true).describe("Node's own metrics (memory, garbage collection, event loop)."),
  slo: section({
    ttft: list(duration('above zero'), 'a list of durations such as [500ms, 2s]')
      .prefault([])
      .describe('Thresholds to alert on: exact bounds added to the buckets of time_to_first_token_seconds.'),
  }).prefault({}),
  buckets: z
    .partialRecord(z.enum(histogramNames), bounds(), {
      error: complaint('a mapping of histogram names with their bounds'),
    })
    .default({})
    .describe('Bounds of a histogram, in its own unit, instead of the built-in ones.'),
})

const log = section({
  level: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
      error: complaint('trace, debug, info, warn, error, fatal or silent'),
    })
    .default('info')
    .describe('Least severe level that is logged.'),
  exchanges: flag().default(true).describe('One JSON line an exchange on standard output.'),
})

/** The one source of types, checks, JSON schema and the table in the docs. */
export const configSchema = section({
  gateways: gatewaysSchema.prefault([]),
  proxy: proxy.prefault({}),
  admin: admin.prefault({}),
  labels: labels.prefault({}),
  metrics: metrics.prefault({}),
  log: log.prefault({}),
})

/** What may be written in a file. */
export type ConfigInput = z.input<typeof configSchema>

type Read = z.output<typeof configSchema>

/**
 * The configuration, complete and frozen. Durations in milliseconds (0: none, where the key allows it), sizes in bytes.
 * `headers` of a gateway are expanded, names in lower case; `tls.ca` is an absolute path; `apiKey` is the value of the
 * variable named by `apiKeyEnv`; `clientKeys` are in lower case. `''` stands for none.
 */
export type Config = DeepReadonly<
  Omit<Read, 'gateways'> & { gateways: (Read['gateways'][number] & { apiKey: string })[] }
>
export type GatewayConfig = Config['gateways'][number]
export type ModelPrice = GatewayConfig['models'][string]

function sha256() {
  const error = complaint(
    'the SHA-256 of a key as 64 hexadecimal digits (printf %s "$KEY" | sha256sum), not the key itself',
    'secret',
  )
  return z
    .string({ error })
    .regex(/^[0-9a-fA-F]{64}$/, { error })
    .transform((digits) => digits.toLowerCase())
}

function hostName() {
  const error = complaint('a host name without scheme and port, such as streamgauge.internal')
  return z
    .string({ error })
    .refine((name) => isHostName(name) || isIP(name) !== 0, { error })
    .transform((name) => name.toLowerCase())
}

function bounds() {
  const error = complaint('a list of ascending positive numbers')
  return z
    .array(z.number({ error: complaint('a positive number') }).positive({ error: complaint('a positive number') }), {
      error,
    })
    .min(1, { error })
    .max(200, { error: () => 'has more than 200 bounds; expected fewer: each is a series for every label set' })
    .refine((values) => values.every((value, index) => index === 0 || value > (values[index - 1] as number)), {
      error: () => 'is not ascending; expected each bound to be greater than the one before',
    })
}
