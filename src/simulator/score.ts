import type { AnswerFormat } from './answer-format.ts'
import type { Plan } from './plan.ts'
import type { WrittenPiece } from './truth.ts'

/** One thing to do at an instant, milliseconds after the request was received. */
export type Action =
  | { readonly at: number; readonly kind: 'headers' }
  | { readonly at: number; readonly kind: 'write'; readonly text: string; readonly pieces: readonly WrittenPiece[] }
  | { readonly at: number; readonly kind: 'comment'; readonly text: string }
  | { readonly at: number; readonly kind: 'whole' }
  | { readonly at: number; readonly kind: 'end' | 'reset' | 'truncate' | 'hang' }

type Write = Extract<Action, { kind: 'write' }>

const silent: readonly WrittenPiece[] = []

function* openingWrites(plan: Plan, format: AnswerFormat): Generator<Write> {
  const { script } = plan
  if (script.fail === 'hang' && script.failAt === 0) return
  for (const text of format.opening()) {
    yield { at: script.openingMs ?? script.headersMs, kind: 'write', text, pieces: silent }
  }
}

function* groupWrites(plan: Plan, format: AnswerFormat): Generator<Write> {
  // Pieces that this API tells nothing of, until an event follows.
  let untold: WrittenPiece[] = []
  for (const { at, pieces } of plan.groups) {
    const joined = pieces.length > 1
    let text = ''
    let carried: WrittenPiece[] = untold
    let told = false
    for (const piece of pieces) {
      const { before, event, chars } = format.piece(piece)
      if (joined) text += before.join('')
      else for (const scene of before) yield { at, kind: 'write', text: scene, pieces: silent }
      carried.push({ piece, told: event !== undefined, chars })
      if (event === undefined) continue
      text += event
      told = true
    }
    if (!told && text === '') continue
    if (told) {
      yield { at, kind: 'write', text, pieces: carried }
      carried = []
    } else yield { at, kind: 'write', text, pieces: silent }
    untold = carried
  }
}

function* closingActions(plan: Plan, format: AnswerFormat): Generator<Action> {
  const { script, endAt } = plan
  if (script.fail === undefined || script.fail === 'error') {
    const texts = script.fail === 'error' ? format.failure() : format.closing()
    for (const text of texts) yield { at: endAt, kind: 'write', text, pieces: silent }
    yield { at: endAt, kind: 'end' }
    return
  }
  // A reset may overtake what the peer has not read yet: give it a moment.
  yield { at: endAt + (script.fail === 'reset' ? 20 : 0), kind: script.fail }
}

function* writes(plan: Plan, format: AnswerFormat): Generator<Action> {
  yield* openingWrites(plan, format)
  yield* groupWrites(plan, format)
  yield* closingActions(plan, format)
}

/** An intermediary holds everything back until the end. */
function* heldBack(plan: Plan, format: AnswerFormat): Generator<Action> {
  let text = ''
  const pieces: WrittenPiece[] = []
  for (const action of writes(plan, format)) {
    if (action.kind === 'write') {
      text += action.text
      pieces.push(...action.pieces)
      continue
    }
    yield { at: action.at, kind: 'write', text, pieces }
    yield action
  }
}

function* withComments(actions: Iterable<Action>, comments: readonly number[], text: string): Generator<Action> {
  const instants = text === '' ? [] : [...comments].sort((a, b) => a - b)
  for (const action of actions) {
    while (instants[0] !== undefined && instants[0] < action.at) {
      yield { at: instants.shift() as number, kind: 'comment', text }
    }
    yield action
  }
}

function* rawActions(plan: Plan): Generator<Action> {
  const { script } = plan
  let last = script.headersMs
  for (const [at, text] of script.raw ?? []) {
    last = Math.max(last, at)
    yield { at: last, kind: 'write', text, pieces: silent }
  }
  if (script.fail === undefined || script.fail === 'error') yield { at: last, kind: 'end' }
  else yield { at: last + (script.fail === 'reset' ? 20 : 0), kind: script.fail }
}

/** All that is to be done for a streamed answer, in order. Events are encoded when they are asked for. */
export function* streamedScore(plan: Plan, format: AnswerFormat): Generator<Action> {
  const { script } = plan
  if (script.failAt < 0 && (script.fail === 'reset' || script.fail === 'hang')) {
    yield { at: script.headersMs, kind: script.fail }
    return
  }
  yield { at: script.headersMs, kind: 'headers' }
  if (script.raw !== undefined) yield* rawActions(plan)
  else yield* withComments((script.buffered ? heldBack : writes)(plan, format), script.comments, format.comment)
}

/** A whole answer: nothing until it is generated, unless the headers are asked for earlier. */
export function* wholeScore(plan: Plan, headersAsked: boolean): Generator<Action> {
  const { script } = plan
  if (script.failAt < 0 && (script.fail === 'reset' || script.fail === 'hang')) {
    yield { at: script.headersMs, kind: script.fail }
    return
  }
  if (headersAsked || (script.fail !== undefined && script.fail !== 'error'))
    yield { at: script.headersMs, kind: 'headers' }
  if (script.fail === undefined || script.fail === 'error') yield { at: plan.endAt, kind: 'whole' }
  else yield { at: plan.endAt, kind: script.fail }
}
