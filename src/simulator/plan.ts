import type { Random } from './random.ts'
import type { SimulatedRequest } from './request.ts'
import { plainScript, type Script } from './script.ts'
import { callTools, type ToolMark } from './tool-calls.ts'
import { tokenTexts } from './vocabulary.ts'

/** What one event carries. */
export interface Piece {
  readonly phase: 'reasoning' | 'answer' | 'tool'
  readonly choice: number
  readonly text: string
  readonly tokens: number
  /** Of a tool call: which, and whether this piece begins or completes it. The beginning one has the name, and no arguments. */
  readonly tool?: ToolMark
}

/** Pieces that are due together and share a write. */
export interface Group {
  /** Milliseconds after the request was received. */
  at: number
  readonly pieces: readonly Piece[]
}

/** Exact, over all choices. `output` includes `reasoning`, whether it is streamed or not. */
export interface SimulatedUsage {
  readonly input: number
  readonly cached: number
  readonly cacheWrite: number
  readonly output: number
  readonly reasoning: number
}

/** An answer, wholly decided before its first byte. */
export interface Plan {
  readonly script: Readonly<Script>
  readonly groups: readonly Group[]
  readonly usage: SimulatedUsage
  readonly finishReason: 'stop' | 'length' | 'tool_calls'
  /** When the closing events, or the failure, are due. */
  readonly endAt: number
}

interface Segment {
  readonly start: number
  readonly rate: number
  /** Pieces in order, by choice. */
  readonly choices: readonly (readonly Piece[])[]
}

function textPieces(
  random: Random,
  phase: 'reasoning' | 'answer',
  choice: number,
  count: number,
  each: number,
): Piece[] {
  const texts = tokenTexts(random, count)
  const pieces: Piece[] = []
  for (let at = 0; at < count; at += each) {
    const part = texts.slice(at, at + each)
    pieces.push({ phase, choice, text: part.join(''), tokens: part.length })
  }
  return pieces
}

/** A summary has fewer code points than the reasoning has tokens; else a meter would rightly take it for the reasoning. */
function summaryPieces(random: Random, reasoningTokens: number): Piece[] {
  const pieces: Piece[] = []
  let left = Math.floor(reasoningTokens / 2)
  for (const text of tokenTexts(random, 12)) {
    left -= text.length
    if (left < 0) break
    pieces.push({ phase: 'reasoning', choice: 0, text, tokens: 0 })
  }
  return pieces
}

/**
 * Lays a segment's pieces on the timeline so that (tokens - tokens of the first write) / (last - first) is exactly the rate
 * asked for, however the tokens are packed into events and writes.
 */
function layOut(segment: Segment, script: Script, random: Random): Group[] {
  const perChoice = Math.max(0, ...segment.choices.map((pieces) => pieces.length))
  const flat: { piece: Piece; after: number }[] = []
  const sums = segment.choices.map(() => 0)
  for (let at = 0; at < perChoice; at++) {
    for (const [choice, pieces] of segment.choices.entries()) {
      const piece = pieces[at]
      if (piece === undefined) continue
      const after = (sums[choice] as number) + piece.tokens
      sums[choice] = after
      flat.push({ piece, after })
    }
  }
  const groups: Group[] = []
  let first: number | undefined
  let before = 0
  let clock = segment.start
  for (let at = 0; at < flat.length; at += script.eventsPerWrite) {
    const part = flat.slice(at, at + script.eventsPerWrite)
    const after = (part.at(-1) as { after: number }).after
    if (first === undefined) first = after
    else clock += (((after - before) * 1000) / segment.rate) * (1 + script.jitter * random.between(-1, 1))
    before = after
    groups.push({ at: clock, pieces: part.map(({ piece }) => piece) })
  }
  return groups
}

function addStall(groups: Group[], script: Script): void {
  if (script.stallAt === undefined) return
  let tokens = 0
  for (const group of groups) {
    if (tokens >= script.stallAt && tokens > 0) group.at += script.stallMs
    for (const piece of group.pieces) tokens += piece.tokens
  }
}

/** The groups that are out when `failAt` tokens are. */
function cut(groups: Group[], failAt: number): Group[] {
  let tokens = 0
  return groups.filter((group) => {
    for (const piece of group.pieces) tokens += piece.tokens
    return tokens <= failAt
  })
}

/** Turns a script into an answer. All randomness is `random`'s: the same script and seed give the same plan. */
export function makePlan(request: SimulatedRequest, asked: Partial<Script>, random: Random): Plan {
  const script: Script = { ...plainScript, ...asked }
  const total = Math.min(script.tokens, request.maxTokens ?? Number.POSITIVE_INFINITY)
  // Legacy completions have no place for reasoning, nor they and Ollama's generate for tool calls.
  const reasoning = request.operation === 'completions' ? 0 : Math.min(total, script.reasoningTokens)
  const reasoningRate = script.reasoningTokensPerSecond ?? script.tokensPerSecond
  const textOnly = request.operation === 'completions' || request.operation === 'ollama_generate'
  const wanted = script.toolCalls ?? (request.toolChoice === 'required' && !request.afterTool ? 1 : 0)
  const calls = textOnly ? 0 : wanted
  const choices = Array.from({ length: request.choices }, (_, choice) => choice)

  const thinking =
    script.reasoning === 'streamed'
      ? choices.map((choice) => textPieces(random, 'reasoning', choice, reasoning, script.tokensPerEvent))
      : script.reasoning === 'summarised'
        ? [summaryPieces(random, reasoning)]
        : []
  const answers = choices.map((choice) =>
    calls > 0
      ? callTools(random, request.tools, choice, calls)
      : textPieces(random, 'answer', choice, total - reasoning, script.tokensPerEvent),
  )
  const groups = layOut({ start: script.ttftMs, rate: reasoningRate, choices: thinking }, script, random)
  const answerStep = ((answers[0]?.[0]?.tokens ?? 1) * 1000) / script.tokensPerSecond
  let answerStart = groups.length > 0 ? (groups.at(-1) as Group).at + answerStep : script.ttftMs
  if (script.reasoning === 'summarised' && groups.length > 0) {
    answerStart = script.firstAnswerMs ?? script.ttftMs + (reasoning * 1000) / reasoningRate
    const step = (answerStart - script.ttftMs) / groups.length
    for (const [at, group] of groups.entries()) group.at = script.ttftMs + at * step
  } else if (groups.length > 0 && script.firstAnswerMs !== undefined) answerStart = script.firstAnswerMs
  groups.push(...layOut({ start: answerStart, rate: script.tokensPerSecond, choices: answers }, script, random))
  addStall(groups, script)

  const written = groups.reduce((sum, group) => sum + group.pieces.reduce((part, piece) => part + piece.tokens, 0), 0)
  const hidden = script.reasoning === 'streamed' ? 0 : reasoning * choices.length
  const kept = script.fail === undefined ? groups : cut(groups, script.failAt)
  return {
    script,
    groups: kept,
    usage: {
      input: request.promptTokens,
      cached: script.cachedTokens,
      cacheWrite: script.cacheWriteTokens,
      output: written + hidden,
      reasoning: reasoning * choices.length,
    },
    finishReason: calls > 0 ? 'tool_calls' : total < script.tokens ? 'length' : 'stop',
    endAt: (kept.at(-1)?.at ?? script.ttftMs) + script.endMs,
  }
}
