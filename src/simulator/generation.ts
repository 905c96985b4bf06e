import type { ServerResponse } from 'node:http'
import { type Answer, failureMessage } from './answer-format.ts'
import type { JsonObject } from './json.ts'
import { modelsByName } from './models.ts'
import type { OperationEntry } from './operations.ts'
import { makePlan } from './plan.ts'
import { Player } from './player.ts'
import { PromptCache } from './prompt-cache.ts'
import { createRandom } from './random.ts'
import { readRequest, type SimulatedRequest } from './request.ts'
import type { Schedule } from './schedule.ts'
import { streamedScore, wholeScore } from './score.ts'
import type { Script } from './script.ts'
import { badRequest, errorBody, type SimulatedError, scriptedError, unknownModel } from './simulated-error.ts'
import type { ExchangeTruth } from './truth.ts'

/** One request with its body read. */
export interface Incoming {
  readonly entry: OperationEntry
  readonly body: JsonObject
  /** The header `x-sim-script`, parsed. */
  readonly script: unknown
  readonly response: ServerResponse
  readonly truth: ExchangeTruth
  readonly zero: number
}

/** Answers generations: model and script to plan, plan to actions, actions to bytes. */
export class Generations {
  readonly #seed: number
  readonly #schedule: Schedule
  readonly #cache = new PromptCache()
  readonly #asked = new Map<string, number>()
  readonly #inFlight = new Map<string, number>()
  readonly #slowness = new Map<string, number>()

  constructor(seed: number, schedule: Schedule) {
    this.#seed = seed
    this.#schedule = schedule
  }

  /** Multiplies a model's TTFT from now on. 1 undoes it. */
  slow(model: string, factor: number): void {
    this.#slowness.set(model, factor)
  }

  /** Returns the refusal where the request is wrong. */
  answer(incoming: Incoming): SimulatedError | undefined {
    const { entry, truth } = incoming
    const { request, problems } = readRequest(entry.operation, incoming.body, incoming.script)
    truth.operation = entry.operation
    truth.model = request.model
    truth.choices = request.choices
    if (problems.length > 0) return badRequest(problems.join('; '))
    const model = modelsByName.get(request.baseModel)
    if (model === undefined) return unknownModel(request.model)

    const inFlight = (this.#inFlight.get(model.name) ?? 0) + 1
    this.#inFlight.set(model.name, inFlight)
    const script = this.#script(request, inFlight)
    const random = createRandom(`${this.#drawn(request)} words`)
    const plan = makePlan(request, script, random)
    const answer: Answer = {
      id: truth.id,
      created: Math.floor(truth.startedAt / 1000),
      servedModel: plan.script.servedModel ?? request.model,
      request,
      plan,
    }
    this.#play(incoming, answer, () => this.#inFlight.set(model.name, (this.#inFlight.get(model.name) as number) - 1))
    return undefined
  }

  /** What decides an answer besides the request: its own seed, else the simulator's and how often the model was asked. */
  #drawn(request: SimulatedRequest): string {
    if (request.seed !== undefined) return `${request.baseModel} by request ${request.seed}`
    return `${request.baseModel} ${this.#seed} ${this.#asked.get(request.baseModel) ?? 0}`
  }

  #script(request: SimulatedRequest, inFlight: number): Partial<Script> {
    const model = modelsByName.get(request.baseModel) as NonNullable<ReturnType<typeof modelsByName.get>>
    this.#asked.set(model.name, (this.#asked.get(model.name) ?? 0) + 1)
    const prefix = model.name === 'sim/cached' ? request.cachePrefix : undefined
    const { cached, written } = this.#cache.use(model.name, prefix)
    const random = createRandom(this.#drawn(request))
    const habit = model.answer({
      request,
      random,
      inFlight,
      cached: Math.min(cached, request.promptTokens),
      cacheWritten: Math.min(written, request.promptTokens),
    })
    const factor = this.#slowness.get(model.name) ?? 1
    const slowed = habit.ttftMs === undefined || factor === 1 ? {} : { ttftMs: habit.ttftMs * factor }
    return { ...habit, ...slowed, ...request.script }
  }

  #play(incoming: Incoming, answer: Answer, onDone: () => void): void {
    const { truth, response, entry } = incoming
    const { plan, request } = answer
    const { script, usage } = plan
    const format = entry.format(answer)
    const refused = script.status >= 300
    truth.servedModel = answer.servedModel
    truth.provider = script.provider
    truth.streamed = request.stream && !refused
    if (refused) truth.injected.push(`status_${script.status}`)
    else {
      Object.assign(truth.tokens, usage)
      if (script.fail !== undefined) truth.injected.push(script.fail)
      if (script.stallAt !== undefined) truth.injected.push('stall')
      if (script.buffered) truth.injected.push('buffered')
    }
    const score = refused
      ? [{ at: script.headersMs, kind: 'whole' } as const].values()
      : request.stream
        ? streamedScore(plan, format)
        : wholeScore(plan, request.script.headersMs !== undefined)
    const body = (): JsonObject => {
      if (refused) return errorBody(scriptedError(script.status), entry.operation, truth.id)
      if (script.fail !== 'error') return format.whole()
      return errorBody({ ...scriptedError(500), message: failureMessage }, entry.operation, truth.id)
    }
    new Player(score, {
      response,
      schedule: this.#schedule,
      zero: incoming.zero,
      truth,
      status: script.status,
      headers: {
        'content-type': truth.streamed ? (script.contentType ?? format.contentType) : 'application/json',
        'x-request-id': truth.id,
        ...(entry.operation === 'messages' ? { 'request-id': truth.id } : {}),
        ...(truth.streamed ? { 'cache-control': 'no-cache' } : {}),
        ...(script.status === 429 ? { 'retry-after': '1' } : {}),
        ...(script.provider === undefined ? {} : { 'x-portkey-provider': script.provider }),
      },
      gzip: script.gzip,
      whole: () => JSON.stringify(body()),
      onDone,
    })
  }
}
