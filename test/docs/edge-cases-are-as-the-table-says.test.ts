import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '../../src/measurement/figures.ts'
import { outcomeOf } from '../../src/stream/outcome.ts'
import { edgeCases } from '../helpers/edge-cases.ts'
import { tableRows } from '../helpers/markdown.ts'
import { measurement } from '../helpers/measurement.ts'

const columns = [
  'time_to_first_token_seconds',
  'time_per_output_token_seconds',
  'output_tokens_per_second',
  'output_chars_per_second',
]
const rows = tableRows('docs/measuring.md', 'case', 6)

for (const [name, ...cells] of rows as [string, ...string[]][]) {
  test(`edge case: ${name}`, () => {
    const changes = edgeCases[name]
    assert.ok(changes, `test/helpers/edge-cases.ts has no ${JSON.stringify(name)}`)
    const { figures, unmeasured } = evaluate(measurement(changes))
    const found = columns.map((figure) => (figure in figures ? 'yes' : `\`${unmeasured[figure]}\``))
    assert.deepEqual(found, cells.slice(0, 4))
    for (const value of Object.values(figures)) assert.ok(Number.isFinite(value) && value >= 0)
  })
}

test('every edge case has its row', () => {
  assert.deepEqual(
    rows.map(([name]) => name),
    Object.keys(edgeCases),
  )
})

test('what the last column says', () => {
  const of = (name: string) => evaluate(measurement(edgeCases[name]))
  for (const name of ['a long answer in one chunk', 'not streamed, also where a stream was asked for'])
    assert.ok(of(name).figures['blended_tokens_per_second'], name)
  const cut = of('reasoning only, cut by `max_tokens`')
  assert.equal(cut.unmeasured['time_to_first_answer_seconds'], 'no_output')
  assert.equal(of('hidden reasoning').generation.tokens, 101)
  const summary = of('a summary of counted reasoning').generation
  assert.deepEqual([summary.tokens, summary.windowMs, summary.counts.events], [101, 1500, 100])
  assert.ok(of('the client leaves before the first token').figures['abandoned_wait_seconds'])
  const unread = of('a content coding that cannot be read').figures
  assert.ok(unread['time_to_headers_seconds'] && unread['time_to_first_byte_seconds'])
  const left = { status: 200, streamed: true, readable: true, endSeen: true, protocolEndSeen: false, error: undefined }
  assert.equal(outcomeOf({ kind: 'client', error: 'left_mid_answer' }, left).outcome, 'ok')
})
