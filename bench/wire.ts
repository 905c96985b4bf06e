// Events per second of framing and reading, beside eventsource-parser + JSON.parse + the least a meter could read, on the
// same bytes in the same run, in turns.
import { createParser } from 'eventsource-parser'
import { AnswerReader } from '../src/wire/answer-reader.ts'
import { type BenchStream, fixtureStreams, recordedStreams } from './recorded-streams.ts'

const rounds = Number(process.argv[2] ?? 31)
const roundMs = 60

/** Both count events and characters, so that neither's work can be left out. */
interface Count {
  events: number
  chars: number
}

function readOurs({ operation, reads }: BenchStream, count: Count): void {
  const reader = new AnswerReader({ operation, status: 200, contentType: 'text/event-stream' }, (reading) => {
    count.events++
    count.chars += reading.contentChars + reading.reasoningChars
  })
  for (const bytes of reads) reader.push(bytes)
  reader.end(true)
}

function readTheirs({ reads }: BenchStream, count: Count): void {
  const decoder = new TextDecoder()
  let usage: unknown
  let finish: unknown
  let model: unknown
  const parser = createParser({
    onEvent({ data }) {
      count.events++
      if (data === '[DONE]') return
      let chunk: ReturnType<typeof JSON.parse>
      try {
        chunk = JSON.parse(data)
      } catch {
        return
      }
      if (chunk?.usage) usage = chunk.usage
      if (chunk?.model) model = chunk.model
      for (const choice of chunk?.choices ?? []) {
        const delta = choice.delta
        count.chars += (delta?.content ?? choice.text ?? '').length
        count.chars += (delta?.reasoning_content ?? delta?.reasoning ?? '').length
        if (choice.finish_reason) finish = choice.finish_reason
      }
    },
  })
  for (const bytes of reads) parser.feed(decoder.decode(bytes, { stream: true }))
  kept = [usage, finish, model]
}

let kept: unknown

/** Events per second in the fastest pass of one turn: a slower one was disturbed by whatever else the machine does. */
function turn(streams: readonly BenchStream[], read: (stream: BenchStream, count: Count) => void): number {
  const count = { events: 0, chars: 0 }
  let fastest = Number.POSITIVE_INFINITY
  let passes = 0
  const until = performance.now() + roundMs
  for (let begun = performance.now(); begun < until; passes++) {
    for (const stream of streams) read(stream, count)
    const ended = performance.now()
    fastest = Math.min(fastest, ended - begun)
    begun = ended
  }
  return (count.events / passes / fastest) * 1000
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] as number
}

const sets: [string, BenchStream[]][] = [
  ['recordings (llama.cpp, Portkey)', recordedStreams()],
  ['wire fixtures (all providers)', fixtureStreams()],
]
console.log(
  `node ${process.version}, ${rounds} rounds of ${roundMs} ms each, medians of each round's fastest pass; eventsource-parser + JSON.parse = 1`,
)
for (const [name, streams] of sets) {
  const ours: number[] = []
  const theirs: number[] = []
  for (let round = -3; round < rounds; round++) {
    const theirRate = turn(streams, readTheirs)
    const ourRate = turn(streams, readOurs)
    if (round < 0) continue
    theirs.push(theirRate)
    ours.push(ourRate)
  }
  const ratio = median(ours.map((rate, round) => rate / (theirs[round] as number)))
  const perSecond = (rates: number[]) => `${Math.round(median(rates) / 1000)} k events/s`
  console.log(`${name}: ours ${perSecond(ours)}, theirs ${perSecond(theirs)}, ratio ${ratio.toFixed(2)}`)
}
if (kept === null) console.log('unreachable')
