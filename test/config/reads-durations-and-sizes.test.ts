import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { showDuration, showSize } from '../../src/config/leaf-values.ts'
import { configFrom } from '../../src/config/load.ts'
import { configOf, oneGateway, problemsOf } from '../helpers/configuration.ts'

const durations: readonly (readonly [string, number])[] = [
  ['0', 0],
  ['"0"', 0],
  ['250ms', 250],
  ['10s', 10_000],
  ['10 s', 10_000],
  ['1.5m', 90_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
]

for (const [written, milliseconds] of durations) {
  test(`the duration ${written} is ${milliseconds} ms`, (t) => {
    assert.equal(configOf(t, `${oneGateway}proxy: { drain: ${written} }`).proxy.drain, milliseconds)
  })
}

for (const written of [
  '30',
  '-1s',
  '1e3s',
  '10sec',
  '10S',
  '1m30s',
  'soon',
  '""',
  'true',
  '[1s]',
  '25d',
  '0.2ms',
  '1.',
]) {
  test(`the duration ${written} is refused`, (t) => {
    const found = problemsOf(t, `${oneGateway}proxy: { drain: ${written} }`)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^proxy\.drain: .*; expected/)
  })
}

test('a bare number is told to need a unit', (t) => {
  const [found] = problemsOf(t, `${oneGateway}proxy: { drain: 30 }`)
  assert.match(found ?? '', /^proxy\.drain: 30 has no unit; expected a duration such as 250ms, 10s, 30m or 2h, or 0/)
})

test('an objective of 0 is refused', (t) => {
  for (const zero of ['0', '"0"', '0s']) {
    const found = problemsOf(t, `${oneGateway}metrics: { slo: { ttft: [500ms, ${zero}] } }`)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^metrics\.slo\.ttft\[1\]: /)
  }
})

const sizes: readonly (readonly [string, number])[] = [
  ['65536', 65_536],
  ['64KiB', 65_536],
  ['1.5MiB', 1_572_864],
  ['64kB', 64_000],
  ['64KB', 64_000],
  ['2MB', 2_000_000],
  ['1GiB', 1_073_741_824],
  ['2048B', 2048],
]

for (const [written, bytes] of sizes) {
  test(`the size ${written} is ${bytes} bytes`, (t) => {
    assert.equal(configOf(t, `${oneGateway}proxy: { maxBodyBytes: ${written} }`).proxy.maxBodyBytes, bytes)
  })
}

for (const written of ['0', '-1', '1.5', '64', '64mb', 'big', '2GiB', '1TiB', 'true', '"64"']) {
  test(`the size ${written} is refused`, (t) => {
    const found = problemsOf(t, `${oneGateway}proxy: { maxBodyBytes: ${written} }`)
    assert.equal(found.length, 1)
    assert.match(found[0] ?? '', /^proxy\.maxBodyBytes: .*; expected/)
  })
}

test('what is shown reads back as the same duration and size', () => {
  const url = 'https://gateway.test/v1'
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 - 1 }), fc.integer({ min: 1024, max: 2 ** 30 }), (ms, bytes) => {
      const { proxy } = configFrom({
        gateways: [{ name: 'main', url }],
        proxy: { drain: showDuration(ms), maxBodyBytes: showSize(bytes) },
      })
      assert.deepEqual([proxy.drain, proxy.maxBodyBytes], [ms, bytes])
    }),
  )
})
