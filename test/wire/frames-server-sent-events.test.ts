import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventSink } from '../../src/wire/framing.ts'
import { SseFraming } from '../../src/wire/sse-framing.ts'

/** What a framing hands out, in order; an event as its data, with `!` before it where it is named `error`. */
function framed(reads: readonly Buffer[]): string[] {
  const out: string[] = []
  const sink: EventSink = {
    event: (bytes, start, end, named) => out.push(`${named ? '!' : ''}${bytes.toString('utf8', start, end)}`),
    unfinished: (bytes, start, end) => out.push(`unfinished ${bytes.toString('utf8', start, end)}`),
    comment: () => out.push(':'),
    skipped: () => out.push('skipped'),
  }
  const framing = new SseFraming(sink, 1000)
  for (const bytes of reads) {
    const copy = Buffer.from(bytes)
    framing.push(copy)
    copy.fill(0x78)
  }
  framing.end()
  return out
}

const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ['LF', 'data: a\n\ndata: b\n\n', ['a', 'b']],
  ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', ['a', 'b']],
  ['CR', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['all line ends mixed', 'data: a\n\r\ndata: b\r\n\rdata: c\r\n\n', ['a', 'b', 'c']],
  ['a CRLF is one line end, not a blank line', 'data: a\r\ndata: b\r\n\r\n', ['a\nb']],
  ['many blank lines', '\n\n\ndata: a\n\n\n\r\n\rdata: b\n\n', ['a', 'b']],
  ['no space after the colon', 'data:a\n\n', ['a']],
  ['only one space is taken off', 'data:  a \n\n', [' a ']],
  ['several data lines are joined by LF', 'data: a\r\ndata:\r\ndata\rdata: b\n\n', ['a\n\n\nb']],
  ['an event of empty data', 'data:\n\ndata\n\ndata: \n\n', ['', '', '']],
  ['comments, also inside an event', ':\n: x\ndata: a\n:data: no\n\n', [':', ':', ':', 'a']],
  ['other fields and unknown ones', 'id: 1\nevent: message\nretry: 5\nfoo: bar\nfoo\ndata: a\n\n', ['a']],
  ['an event without data is none', 'event: ping\n\nid: 3\n\n', []],
  ['names of fields have a case and no spaces', 'Data: a\n data: b\ndata : c\ndatas: d\ndat: e\n\n', []],
  ['an event named error', 'event: error\ndata: a\n\ndata: b\n\nevent:error\ndata: c\n\n', ['!a', 'b', '!c']],
  [
    'the last name counts, and it is the whole name',
    'event: error\nevent: x\ndata: a\n\nevent: errors\ndata: b\n\n',
    ['a', 'b'],
  ],
  ['a colon in the value', 'data: a: b\n\n', ['a: b']],
  ['a byte order mark before the first line, once', '\ufeffdata: a\n\n\ufeffdata: b\n\n', ['a']],
  ['a byte order mark alone on its line', '\ufeff\ndata: a\n\n', ['a']],
  ['other separators of lines are text', 'data: a\u2028b\u2029c\u0085d\n\n', ['a\u2028b\u2029c\u0085d']],
  ['characters of several bytes', 'data: é淰\u{1f30a}\n\n', ['é淰\u{1f30a}']],
  ['a NUL and a control character', 'data: a\0\x01\n\n', ['a\0\x01']],
  ['an event that lacks its blank line', 'data: a\n\ndata: b\n', ['a', 'unfinished b']],
  ['an event that lacks its line end', 'data: a\n\ndata: b', ['a', 'unfinished b']],
  ['lines before a line without end', 'data: a\ndata: b', ['unfinished a\nb']],
  ['a comment, a field, a name cut off at the end', 'data: a\n\n: com', ['a']],
  ['half a field name behind data', 'data: a\nda', ['unfinished a']],
  ['an unfinished first line with a mark', '\ufeffdata: a', ['unfinished a']],
]

for (const [name, text, expected] of cases) {
  test(`${name}: the same in one read, cut anywhere and byte by byte`, () => {
    const body = Buffer.from(text)
    assert.deepEqual(framed([body]), expected)
    for (let at = 0; at <= body.length; at++) {
      assert.deepEqual(framed([body.subarray(0, at), body.subarray(at)]), expected, `cut at ${at}`)
    }
    assert.deepEqual(framed(Array.from(body, (_, at) => body.subarray(at, at + 1))), expected, 'byte by byte')
  })
}

test('an event is complete at the byte that ends its blank line, even where that is a CR', () => {
  for (const [text, complete] of [
    ['data: a\n\n', 9],
    ['data: a\r\n\r\n', 10],
    ['data: a\r\r', 9],
    ['data: a\n\r\n', 9],
  ] as const) {
    const ends: number[] = []
    let pushed = 0
    const nothing = (): void => {}
    const sink: EventSink = { event: () => ends.push(pushed), unfinished: nothing, comment: nothing, skipped: nothing }
    const framing = new SseFraming(sink, 100)
    for (const byte of Buffer.from(text)) {
      pushed++
      framing.push(Buffer.from([byte]))
    }
    assert.deepEqual(ends, [complete], JSON.stringify(text))
  }
})
