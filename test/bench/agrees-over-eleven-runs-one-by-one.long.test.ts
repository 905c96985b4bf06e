import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agrees, benchAgainstTruth } from '../helpers/bench-models.ts'
import { simulatedGateway } from '../helpers/simulated-gateway.ts'

test('eleven runs of every model, one after another: medians within 3 % or 3 ms of the truth', async (t) => {
  const found = await benchAgainstTruth(t, await simulatedGateway(t), 11, false)
  for (const { model, errors } of found) {
    for (const { figure, measured, truth, share, n } of errors) {
      t.diagnostic(
        `${model} ${figure}: ${measured.toFixed(2)}, truth ${truth.toFixed(2)}, ${(100 * share).toFixed(2)} % (n ${n})`,
      )
    }
  }
  assert.deepEqual(
    found.filter((model) => !agrees(model)).map(({ model, errors }) => ({ model, errors })),
    [],
  )
})
