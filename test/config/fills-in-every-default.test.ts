import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configFrom } from '../../src/config/load.ts'
import { configOf, oneGateway } from '../helpers/configuration.ts'

const everything = {
  gateways: [
    {
      name: 'main',
      url: 'https://gateway.test/v1',
      headers: {},
      apiKeyEnv: '',
      apiKey: '',
      timeouts: { connect: 10_000, firstByte: 0, idle: 1_800_000, total: 0 },
      tls: { ca: '', insecure: false },
      maxHeaderBytes: 65_536,
      models: {},
    },
  ],
  proxy: {
    host: '127.0.0.1',
    port: 8484,
    maxBodyBytes: 67_108_864,
    maxHeaderBytes: 65_536,
    maxStreams: 4096,
    keepAlive: 75_000,
    clientStall: 600_000,
    drainDelay: 0,
    drain: 600_000,
    allowedHosts: [],
    clientKeys: [],
    dummyKeys: ['dummy', 'none', 'sk-no-key'],
  },
  admin: { host: '127.0.0.1', port: 9484, token: '' },
  labels: { maxModels: 100, maxApps: 50, maxSets: 1000, inputSize: false, models: { allow: [], rename: {} } },
  metrics: { defaultMetrics: true, slo: { ttft: [] }, buckets: {} },
  log: { level: 'info', exchanges: true },
}

test('a name and a URL are enough', () => {
  assert.deepEqual(configFrom({ gateways: [{ name: 'main', url: 'https://gateway.test/v1' }] }), everything)
})

test('a key without a value is taken as not written', (t) => {
  const yaml = `${oneGateway}proxy:\nadmin:\n  port:\nlabels: { models: }\nmetrics: { buckets: ~, slo: { ttft: } }\n`
  assert.deepEqual(configOf(t, yaml), everything)
})

test('an empty file is all defaults beside a gateway from elsewhere', (t) => {
  const config = configOf(t, '', { flags: { gateway: 'https://gateway.test/v1' } })
  assert.deepEqual(config, { ...everything, gateways: [{ ...everything.gateways[0], name: 'default' }] })
})

test('the configuration is frozen at every depth', () => {
  const config = configFrom({ gateways: [{ name: 'main', url: 'https://gateway.test/v1' }] })
  const loose: unknown[] = []
  const look = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    if (!Object.isFrozen(value)) loose.push(value)
    Object.values(value).forEach(look)
  }
  look(config)
  assert.deepEqual(loose, [])
})

test('a price that is left out is the input price', () => {
  const [gateway] = configFrom({
    gateways: [{ name: 'main', url: 'https://gateway.test/v1', models: { m: { input: 2, output: 8 } } }],
  }).gateways
  assert.deepEqual(gateway?.models['m'], { input: 2, cachedInput: 2, cacheWrite: 2, output: 8 })
})

test('a price of 0 stays 0', () => {
  const models = { m: { input: 2, cachedInput: 0, cacheWrite: 0, output: 0 } }
  const [gateway] = configFrom({ gateways: [{ name: 'main', url: 'https://gateway.test/v1', models }] }).gateways
  assert.deepEqual(gateway?.models['m'], models.m)
})
