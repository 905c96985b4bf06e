import { test } from 'node:test'
import { assertSlowReadersAreHarmless } from '../helpers/slow-readers.ts'

test('B19 twenty clients of 200 MB each: 10 s of nothing, then 1 MB a second, then all', { timeout: 600_000 }, (t) =>
  assertSlowReadersAreHarmless(t, { clients: 20, events: 6600, stalledMs: 10_000, slowSeconds: 10 }),
)
