import type { ChunkInstants } from '../measurement/chunk-instants.ts'
import { figures, passthroughFigures } from '../measurement/figures.ts'
import type { RunningExchange } from '../measurement/recorder.ts'
import type { ExchangeIdentity, Marks } from '../measurement/stream-measurement.ts'
import { workOut } from '../measurement/worked-figure.ts'
import { cleanLabel } from './label-values.ts'
import type { ExchangeDetail, ExchangeNames, ExchangeRow, FigureDetail, RunningRow } from './live-shapes.ts'
import { logLine } from './log-line.ts'
import type { RecentExchange } from './recent.ts'

/** In the order in which they happen. */
export const markNames: readonly (keyof Marks)[] = [
  'received',
  'bodyReceived',
  'dispatched',
  'sent',
  'headers',
  'firstByte',
  'firstEvent',
  'firstReasoning',
  'firstAnswer',
  'firstToken',
  'firstTokenForwarded',
  'lastToken',
  'ended',
]

/** Chunks of one row's timeline. */
const mostTicks = 64

const cleanOrNull = (name: string | undefined): string | null =>
  name === undefined || name === '' ? null : cleanLabel(name)

const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits

function names({ id, gateway, app, model, operation }: ExchangeIdentity): ExchangeNames {
  return {
    id: cleanLabel(id),
    gateway: cleanLabel(gateway),
    app: cleanLabel(app),
    model: cleanLabel(model),
    operation: operation ?? null,
  }
}

function timeline(marks: Readonly<Marks>, chunks: ChunkInstants | undefined) {
  let before = 0
  const differences = (chunks?.list(mostTicks) ?? []).map((instant) => {
    const difference = Math.round(instant) - before
    before += difference
    return difference
  })
  return {
    marks: markNames.map((name) => {
      const mark = marks[name]
      return mark === undefined ? null : round(mark - marks.received, 3)
    }),
    instants: differences,
    stride: chunks?.stride ?? 1,
    stalls: (chunks?.stalls() ?? []).map(({ from, to }) => [Math.round(from), Math.round(to)] as const),
  }
}

/** `now`: on the marks' clock, ms. */
export function runningRow(exchange: RunningExchange, now: number): RunningRow {
  const { identity, marks } = exchange
  return {
    ...names(identity),
    ...timeline(marks, exchange.chunkInstants),
    streamAsked: identity.streamAsked,
    elapsed: Math.max(0, Math.round(now - marks.received)),
    chars: exchange.chars,
    chunks: exchange.outputChunks,
  }
}

export function exchangeRow({ serial, measurement: m, evaluation }: RecentExchange): ExchangeRow {
  const { identity, tokens } = m
  return {
    serial,
    ...names(identity),
    ...timeline(m.marks, m.chunkInstants),
    startedAt: identity.startedAt,
    method: cleanLabel(identity.method),
    path: cleanLabel(identity.path),
    status: m.status ?? null,
    streamed: m.streamed,
    outcome: m.outcome,
    error: cleanOrNull(m.error),
    servedModel: cleanOrNull(m.servedModel),
    provider: cleanOrNull(m.provider),
    cache: identity.operation === undefined ? null : m.cache,
    tokens:
      tokens === undefined
        ? null
        : [tokens.input, tokens.cachedInput, tokens.output, tokens.reasoning].map((count) => count ?? null),
    costUsd: m.costUsd === undefined ? null : round(m.costUsd, 9),
    figures: figures.map(({ name }) => {
      const value = evaluation.figures[name]
      return value === undefined ? (evaluation.unmeasured[name] ?? null) : round(value, 6)
    }),
    flags: evaluation.flags,
  }
}

export function exchangeDetail(entry: RecentExchange): ExchangeDetail {
  const { measurement: m } = entry
  return {
    row: exchangeRow(entry),
    log: logLine(m),
    figures: figureDetails(entry),
    instants: (m.chunkInstants?.list() ?? []).map((instant) => round(instant, 2)),
    stride: m.chunkInstants?.stride ?? 1,
    gaps: { bounds: [...m.gaps.bounds], counts: [...m.gaps.counts], count: m.gaps.count },
    pausedMs: round(m.pausedMs, 3),
  }
}

function figureDetails({ measurement: m, evaluation }: RecentExchange): FigureDetail[] {
  const list = m.identity.operation === undefined ? passthroughFigures : figures
  return list.flatMap((figure) => {
    const value = evaluation.figures[figure.name]
    const reason = evaluation.unmeasured[figure.name]
    if (value === undefined && reason === undefined) return []
    const work = value === undefined ? undefined : workOut(figure, m, evaluation.generation)
    return [
      {
        name: figure.name,
        value: value === undefined ? null : round(value, 6),
        reason: reason ?? null,
        expression: work?.expression ?? null,
        numbers: work?.numbers ?? null,
      },
    ]
  })
}
