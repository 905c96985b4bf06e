import { test } from 'node:test'
import { assertSlowReadersAreHarmless } from '../helpers/slow-readers.ts'

test(
  'B19 twenty clients that read nothing, then all: EXACT, the gateway is held, and memory stays bounded',
  {
    timeout: 100_000,
  },
  (t) => assertSlowReadersAreHarmless(t, { clients: 20, events: 600, stalledMs: 0, slowSeconds: 0 }),
)
