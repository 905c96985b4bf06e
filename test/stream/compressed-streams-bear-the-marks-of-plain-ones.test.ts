import assert from 'node:assert/strict'
import { test } from 'node:test'
import { done, finish, role, say, think, usage } from '../helpers/chat-events.ts'
import { compressedPieces } from '../helpers/compressed.ts'
import { end, type Step, tell } from '../helpers/scripted-exchange.ts'

/** What is written at each instant, ms; the last ends the answer. */
const parts: readonly (readonly [number, string])[] = [
  [120, ': wait\n\n'],
  [150, role],
  [400, think('a thought of some length')],
  [700, say('first') + say(' and second')],
  [750, say(' third')],
  [760, say(' x').slice(0, 20)],
  [900, say(' x').slice(20) + say(' y')],
  [2400, say(' after a stall')],
  [2500, finish() + usage(40) + done],
]

const marksOf = (marks: object): object => ({ ...marks })

for (const coding of ['gzip', 'deflate', 'raw deflate', 'br', 'gzip, br']) {
  test(`${coding}, flushed after each part: marks, counts and figures equal those of the plain stream`, {
    timeout: 10_000,
  }, async (t) => {
    const script = async (how: string): Promise<Step[]> => {
      const pieces = await compressedPieces(
        how,
        parts.map(([, text]) => text),
      )
      const named = how === 'raw deflate' ? 'deflate' : how
      const headers = { 'content-type': 'text/event-stream', ...(how !== 'identity' && { 'content-encoding': named }) }
      return [
        [100, { head: 200, headers }],
        ...parts.map(([ms], i): Step => [ms, i === parts.length - 1 ? end(pieces[i]) : (pieces[i] as Buffer)]),
      ]
    }
    const plain = await tell(t, await script('identity'))
    const coded = await tell(t, await script(coding))
    assert.equal(plain.m.decoding, 'plain')
    assert.equal(coded.m.decoding, 'decoded')
    assert.deepEqual(marksOf(coded.m.marks), marksOf(plain.m.marks))
    assert.deepEqual(coded.figures, plain.figures)
    assert.deepEqual(coded.unmeasured, plain.unmeasured)
    assert.deepEqual({ ...coded.m.output, bytes: 0 }, { ...plain.m.output, bytes: 0 })
    assert.deepEqual([...coded.m.gaps.counts], [...plain.m.gaps.counts])
    assert.equal(coded.m.marks.firstToken, 400)
    assert.equal(coded.m.marks.lastToken, 2400)
  })
}

test('a body that turns out corrupt keeps its first token and has no rates', { timeout: 10_000 }, async (t) => {
  const pieces = await compressedPieces(
    'gzip',
    parts.map(([, text]) => text),
  )
  const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }
  const told = await tell(t, [
    [100, { head: 200, headers }],
    ...parts.slice(0, 5).map(([ms], i): Step => [ms, pieces[i] as Buffer]),
    [1000, end(Buffer.alloc(64, 0xff))],
  ])
  assert.equal(told.figures['time_to_first_token_seconds'], 0.4)
  assert.equal(told.unmeasured['output_tokens_per_second'], 'not_decoded')
  assert.equal(told.m.outcome, 'ok')
  assert.ok(told.flags.includes('not_decoded'))
})
