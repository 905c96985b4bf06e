import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Operation } from '../../src/measurement/stream-measurement.ts'
import { emptyFacts, emptyReading } from '../../src/wire/event-reading.ts'
import { EventTemplate } from '../../src/wire/event-template.ts'
import { wireFormatOf } from '../../src/wire/wire-formats.ts'
import { damaged } from '../helpers/generated-answers.ts'
import { cut, expectedOf, readAnswer, saidOf } from '../helpers/read-answer.ts'
import { referenceRead } from '../helpers/reference-reader.ts'

const chat =
  '{"id":"ID","object":"chat.completion.chunk","created":1790000000,"model":"m","choices":[{"index":0,"delta":{"content":TEXT},"finish_reason":null}]}'

/** Events of many APIs with `TEXT` where a JSON string of the output stands. */
const shapes: readonly (readonly [Operation, string])[] = [
  ['chat', chat],
  ['chat', chat.replace('"content":TEXT', '"role":"assistant","content":"","reasoning":TEXT')],
  [
    'chat',
    chat.replace('"content":TEXT', '"reasoning":TEXT,"reasoning_details":[{"type":"reasoning.text","text":TEXT}]'),
  ],
  ['chat', chat.replace('"content":TEXT', '"tool_calls":[{"index":0,"id":"c","function":{"arguments":TEXT}}]')],
  ['chat', chat.replace('"content":TEXT', '"tool_calls":[{"index":0,"function":{"arguments":{"a":TEXT}}}]')],
  ['chat', chat.replace('"content":TEXT', '"content":[{"type":"thinking","thinking":TEXT}]')],
  ['chat', chat.replace('"content":TEXT', '"content":[TEXT]')],
  ['chat', chat.replace('"m"', 'TEXT')],
  ['chat', chat.replace('null', 'TEXT')],
  ['chat', chat.replace('}]}', '}],"usage":{"prompt_tokens":1,"completion_tokens":2}}')],
  ['chat', chat.replace('"choices"', '"obfuscation":"xY3","choices"')],
  ['chat', chat.replace('"id":"ID"', '"error":TEXT')],
  ['chat', chat.replace('"content":TEXT', '"content":TEXT,"content":TEXT')],
  ['completions', '{"choices":[{"text":TEXT,"index":0,"finish_reason":null}],"model":"m"}'],
  [
    'responses',
    '{"type":"response.output_text.delta","sequence_number":4,"item_id":"i","delta":TEXT,"logprobs":[],"obfuscation":"a"}',
  ],
  ['responses', '{"type":TEXT,"delta":TEXT}'],
  ['messages', '{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":TEXT}}'],
  [
    'ollama_chat',
    '{"model":"m","created_at":"2026-09-21T14:13:20Z","message":{"role":"assistant","content":TEXT},"done":false}',
  ],
  ['ollama_generate', '{"model":"m","response":TEXT,"done":false}'],
]

const texts = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)) },
  { weight: 2, arbitrary: fc.string({ maxLength: 8 }).map((text) => JSON.stringify(text)) },
  fc.constantFrom(
    '""',
    '"a"',
    '"\\ud83c\\udf0a"',
    '"\\uD83C"',
    '"\\udf0a\\ud83c"',
    '"\\ud83c\\ud83c\\udf0a"',
    '"\\u00e9\\/"',
    '"\\x"',
    '"\\u12g4"',
    '"\\u12"',
    'null',
    '"stop"',
    '"\t"',
    '"response.output_text.delta"',
  ),
)

test('a stream of events that are alike is read as a slow reader reads it, damaged or not, however it is cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...shapes.keys()), { minLength: 1, maxLength: 3 }),
      fc.array(fc.tuple(fc.nat(2), texts, fc.nat(99)), { minLength: 4, maxLength: 20 }),
      fc.array(fc.tuple(fc.nat(), fc.nat(255), fc.constantFrom('replace', 'remove', 'cut')), { maxLength: 3 }),
      fc.array(fc.nat(), { maxLength: 4 }),
      (chosen, events, harm, positions) => {
        const [operation] = shapes[chosen[0] as number] as readonly [Operation, string]
        const bodies = events.map(([which, text, number]) => {
          const [, shape] = shapes[chosen[which % chosen.length] as number] as readonly [Operation, string]
          return `data: ${shape
            .replaceAll('TEXT', () => text)
            .replace('1790000000', String(number))
            .replace('ID', `id-${number}`)}\n\n`
        })
        const reads = cut(damaged(Buffer.from(bodies.join('')), harm), positions)
        const about = { operation, status: 200, contentType: 'text/event-stream', clean: true }
        assert.deepEqual(
          saidOf(readAnswer(reads, about)),
          expectedOf(referenceRead(Buffer.concat(reads), about), reads),
        )
      },
    ),
    { numRuns: 600 },
  )
})

function templateOf(operation: Operation, event: string): EventTemplate | undefined {
  const format = wireFormatOf(operation)
  const reading = emptyReading()
  format.readEvent(JSON.parse(event), reading, emptyFacts(format.inputAccounting))
  return EventTemplate.of(Buffer.from(event), format, reading)
}

function readBy(
  template: EventTemplate | undefined,
  event: string,
  servedModel: string | undefined,
): object | undefined {
  const reading = emptyReading()
  const facts = { ...emptyFacts('includes_cache'), servedModel }
  const bytes = Buffer.from(event)
  return template?.read(bytes, 0, bytes.length, reading, facts) ? reading : undefined
}

test('an event that differs in its text and in ignored values alone is not parsed', () => {
  const template = templateOf('chat', chat.replace('TEXT', '"Salt"'))
  const like = chat.replace('TEXT', '"\u{1f30a} \\"\\u00e9\\n"').replace('ID', 'another').replace('1790000000', '1')
  assert.deepEqual(readBy(template, like, 'm'), { ...emptyReading(), answer: true, contentChars: 5 })
})

test('an event that is different in anything else is parsed', () => {
  const template = templateOf('chat', chat.replace('TEXT', '"Salt"'))
  const like = chat.replace('TEXT', '"and"')
  assert.notEqual(readBy(template, like, 'm'), undefined)
  for (const [from, to] of [
    ['"and"', '""'],
    ['"and"', 'null'],
    ['"and"', '"a\tb"'],
    ['"index":0', '"index":1'],
    ['"finish_reason":null', '"finish_reason":"stop"'],
    ['"m"', '"n"'],
    ['1790000000', '1.5'],
    ['1790000000', '01'],
    ['}]}', '}]} '],
  ] as const) {
    assert.equal(readBy(template, like.replace(from, to), 'm'), undefined, to)
  }
  assert.equal(readBy(template, like, 'another model came since'), undefined)
})

test('an event that tells more than output is no template', () => {
  const event = chat.replace('TEXT', '"Salt"')
  for (const [from, to] of [
    ['"finish_reason":null', '"finish_reason":"stop"'],
    ['"model"', '"usage":{"completion_tokens":3},"model"'],
    ['"model"', '"error":"overloaded","model"'],
    ['"content"', '"reasoning":"Hm","content"'],
    ['"Salt"', '"Salt","refusal":"No"'],
    ['"Salt"', '""'],
  ] as const) {
    assert.equal(templateOf('chat', event.replace(from, to)), undefined, to)
  }
})

test('a text that decides more than its own length is no hole', () => {
  assert.equal(
    templateOf('chat', chat.replace('"content":TEXT', '"tool_calls":[{"function":{"arguments":{"a":"b"}}}]')),
    undefined,
  )
  assert.equal(templateOf('responses', '{"type":"x.delta","delta":{"text":"x"},"x.delta":1}') !== undefined, true)
  const typed = templateOf('responses', '{"type":"x.delta","delta":"seven ."}')
  assert.equal(readBy(typed, '{"type":"y.delta","delta":"seven ."}', undefined), undefined)
})
