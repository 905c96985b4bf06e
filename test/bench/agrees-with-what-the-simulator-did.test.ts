import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agrees, benchAgainstTruth, benchedModels } from '../helpers/bench-models.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'

test('for every model and figure the median lies within 3 % or 3 ms of the truth', async (t) => {
  const simulator = await simulatedGateway(t)
  const found = await benchAgainstTruth(t, simulator, 4, true)
  assert.deepEqual(found.map(({ model }) => model).toSorted(), benchedModels.toSorted())
  assert.deepEqual(
    found.filter((model) => !agrees(model)).map(({ model, errors }) => ({ model, errors })),
    [],
  )
  const of = (name: string) => found.find(({ model }) => model === name)?.run.exchanges ?? []

  // Reasoning is shown as what it is.
  assert.ok(of('sim/hidden-reasoning').every(({ reasoning }) => reasoning === 'hidden'))
  assert.ok(of('sim/summarised-reasoning').every(({ reasoning }) => reasoning === 'summarised'))
  assert.ok(of('sim/reasoning').every(({ reasoning }) => reasoning === 'streamed'))
  assert.ok(of('sim/fast').every(({ reasoning }) => reasoning === null))

  // So is who answered, and what came of it.
  assert.ok(
    of('sim/fallback').every(
      ({ servedModel, provider }) => servedModel === 'sim/frontier-backup' && provider === 'SimCloud',
    ),
  )
  for (const { gatewayRequestId, outcome } of of('sim/flaky')) {
    const truth = simulator.truth(gatewayRequestId ?? '')
    assert.equal(outcome === 'ok', truth?.state === 'completed' && truth.status === 200, outcome)
  }

  // The cold run wrote the cache that the others hit; prompts with a nonce never did.
  const cached = of('sim/cached').filter(({ mode }) => mode === 'cached')
  assert.deepEqual(
    cached.map(({ left, cache }) => [left, cache]),
    cached.map((_, index) => (index === 0 ? ['cold', 'miss'] : [null, 'hit'])),
  )
  assert.ok(of('sim/cached').every(({ mode, cache }) => mode === 'cached' || cache !== 'hit'))
})
