import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoggedExchange } from '../../src/cli/demo-exchanges.ts'
import { collectExchanges } from '../../src/cli/demo-exchanges.ts'
import { compareAll, pairUp, tableOf } from '../../src/cli/demo-table.ts'
import { beginTruth, type ExchangeTruth } from '../../src/simulator/truth.ts'

/** 101 tokens of 5 code points at 100 a second from 200 ms on. */
function truthOf(id: string): ExchangeTruth {
  const truth = beginTruth(id, 'POST', '/v1/chat/completions')
  Object.assign(truth, { model: 'sim/fast', state: 'completed', streamed: true, status: 200 })
  Object.assign(truth.marks, {
    headers: 5,
    firstByte: 5,
    firstToken: 200,
    firstAnswer: 200,
    lastToken: 1200,
    ended: 1202,
  })
  Object.assign(truth.tokens, { input: 5, output: 101 })
  Object.assign(truth.written, {
    tokens: 101,
    answerTokens: 101,
    firstWriteTokens: 1,
    answerFirstWriteTokens: 1,
    events: 101,
    writes: 101,
  })
  Object.assign(truth.chars, { answer: 505, firstWrite: 5, answerFirstWrite: 5 })
  truth.instants.push(...Array.from({ length: 101 }, (_, at) => 200 + at * 10))
  return truth
}

const figures = {
  time_to_first_token_seconds: 0.201,
  time_to_first_answer_seconds: 0.201,
  output_tokens_per_second: 100,
  time_per_output_token_seconds: 0.01,
  output_chars_per_second: 500,
  longest_stall_seconds: 0.012,
}

function logOf(id: string | null, changed: Partial<LoggedExchange> = {}): LoggedExchange {
  return {
    gateway_request_id: id,
    model: 'sim/fast',
    outcome: 'ok',
    marks: { first_token: 201, last_token: 1201 },
    output: { chunks: 101 },
    figures,
    unmeasured: {},
    ...changed,
  }
}

const judge = (changed: Partial<LoggedExchange>) =>
  compareAll(['a', 'b', 'c'].map((id) => ({ logged: logOf(id, changed), truth: truthOf(id) }))).flatMap(
    ({ faults }) => faults,
  )

test('what agrees is shown and not complained of', () => {
  const compared = compareAll([{ logged: logOf('a'), truth: truthOf('a') }])
  assert.deepEqual(compared[0]!.faults, [])
  const table = tableOf(compared)
  assert.equal(table.length, 3)
  assert.deepEqual(
    table[2]!.split(/ {2,}/),
    'sim/fast 1 201.0 200.0 201.0 200.0 100.0 100.0 10.00 10.00 500 500 10.00 10.00 – –'.split(' '),
  )
})

test('each figure that is more than five per cent, or five milliseconds, away is named', () => {
  assert.deepEqual(judge({ figures: { ...figures, time_to_first_token_seconds: 0.211 } }), [
    'sim/fast: TTFT ms: the proxy says 211.0, the simulator did 200.0',
  ])
  assert.deepEqual(judge({ figures: { ...figures, time_to_first_token_seconds: 0.209 } }), [])
  assert.match(judge({ figures: { ...figures, output_tokens_per_second: 94 } })[0]!, /tok\/s: the proxy says 94\.0/)
  assert.match(judge({ figures: { ...figures, time_per_output_token_seconds: 0.011 } })[0]!, /TPOT ms/)
  assert.match(judge({ figures: { ...figures, output_chars_per_second: 530 } })[0]!, /char\/s/)
  assert.match(judge({ output: { chunks: 50 } })[0]!, /inter-chunk ms/)
})

test('a figure that only one side has, a wrong outcome, and an exchange without its other half are named', () => {
  const { output_tokens_per_second: _, ...without } = figures
  assert.match(judge({ figures: without })[0]!, /tok\/s: only one side has it in 3 of 3/)
  assert.match(judge({ outcome: 'truncated' })[0]!, /the proxy says truncated, it was ok/)
  const { pairs, strays } = pairUp([logOf('a'), logOf(null)], [truthOf('a'), truthOf('b')])
  assert.equal(pairs.length, 1)
  assert.equal(strays.length, 2)
})

test('exchanges are picked out of the log line by line', () => {
  const log = collectExchanges()
  log.write('{"level":30,"msg":"listening"}\n')
  log.write(
    `${JSON.stringify({ ...logOf('a'), msg: 'exchange' })}\n${JSON.stringify({ ...logOf('b'), msg: 'exchange' })}\n`,
  )
  assert.deepEqual(
    log.exchanges.map((exchange) => exchange.gateway_request_id),
    ['a', 'b'],
  )
})
