import assert from 'node:assert/strict'
import { test } from 'node:test'
import { evaluate } from '../../src/measurement/figures.ts'
import { tableRows } from '../helpers/markdown.ts'
import { measurement } from '../helpers/measurement.ts'

/** ms. test/stream/tells-the-reference-stream-as-defined.test.ts sends it through real sockets. */
const at = {
  dispatched: 40,
  headers: 100,
  comment: 120,
  role: 150,
  reasoning: 2150,
  answer: 8150,
  last: 10_150,
  end: 10_161,
}
const tokens = 601

const after = (mark: number): string => `${((mark - at.dispatched) / 1000).toFixed(3)} s`
const rate = (count: number, from: number, to: number): string => (count / ((to - from) / 1000)).toFixed(1)

const counts = {
  events: 600,
  chunks: 600,
  chars: 6010,
  firstChunkEvents: 1,
  firstChunkChars: 10,
  firstChunkTokens: undefined,
}
const ours = evaluate(
  measurement({
    marks: {
      received: 40,
      bodyReceived: 40,
      dispatched: at.dispatched,
      sent: 40,
      headers: at.headers,
      firstByte: at.comment,
      firstEvent: at.role,
      firstReasoning: at.reasoning,
      firstAnswer: at.answer,
      firstToken: at.reasoning,
      lastToken: at.last,
      ended: at.end,
    },
    output: { all: counts, reasoningChars: 1500, contentChars: 4510 },
    tokens: { input: 20, cachedInput: undefined, cacheWriteInput: undefined, output: tokens, reasoning: 150 },
  }),
).figures

test('our own figures of it', () => {
  assert.equal(ours['time_to_first_token_seconds'], 2.11)
  assert.equal(ours['time_to_first_answer_seconds'], 8.11)
  assert.equal(ours['time_to_first_byte_seconds'], 0.08)
  assert.equal(ours['output_tokens_per_second'], 75)
})

const plain = (cell: string | undefined): string => (cell as string).replaceAll('*', '')

test('the README: where the clock stops', () => {
  assert.deepEqual(
    tableRows('README.md', 'where the clock stops', 2).map(([, cell]) => plain(cell)),
    [after(at.comment), after(at.role), after(at.reasoning), after(at.answer), after(at.end)],
  )
})

test('the README: what is divided', () => {
  assert.deepEqual(
    tableRows('README.md', 'what is divided', 2).map(([, cell]) => plain(cell)),
    [
      rate(tokens, at.dispatched, at.end),
      rate(tokens - 1, at.role, at.end),
      rate(tokens - 1, at.reasoning, at.last),
      rate(tokens, at.answer, at.last),
    ],
  )
})

/** What the reference column of docs/comparison.md holds, in order of its rows; an empty cell is none that the definition alone decides. */
const times = [
  after(at.reasoning),
  after(at.answer),
  after(at.comment),
  after(at.comment),
  '',
  '',
  after(at.role),
  '',
  '',
  '',
  '',
  after(at.answer),
  after(at.answer),
  after(at.reasoning),
  after(at.answer),
]

const perSecond = (value: string): string => `${value} tok/s`
const timeToFirstToken = at.reasoning - at.dispatched
const rates = [
  perSecond(rate(tokens - 1, at.reasoning, at.last)),
  perSecond((ours['blended_tokens_per_second'] as number).toFixed(1)),
  perSecond(rate(tokens - 1, at.comment, at.end)),
  '',
  '',
  '',
  perSecond(rate(tokens - 1, at.role, at.end)),
  perSecond(rate(tokens - 1, at.dispatched + timeToFirstToken, at.end)),
  '',
  '',
  perSecond(rate(tokens, at.dispatched, at.end)),
  '',
  perSecond(rate(tokens - 1, at.reasoning, at.last)),
  perSecond(rate(tokens, at.dispatched, at.last)),
]

test('the comparison: times and rates', () => {
  const column = (which: number) => tableRows('docs/comparison.md', 'tool, its name', 4, which).map((row) => row[3])
  assert.deepEqual(column(0), times)
  assert.deepEqual(column(1), rates)
})

test('the comparison says for every line where and when it was read', () => {
  for (const which of [0, 1]) {
    for (const [tool] of tableRows('docs/comparison.md', 'tool, its name', 4, which)) {
      assert.match(tool as string, /^Streamgauge,|\]\(https:\/\/|\(as above\)|^AIPerf, /, tool)
    }
  }
})
