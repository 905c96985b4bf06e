import type { AnswerFacts, EventReading } from './event-reading.ts'
import { EventTemplate } from './event-template.ts'
import type { WireFormat } from './wire-format.ts'

/** An answer takes turns between as many: two phases, two choices. */
const mostOfAnswer = 2
const mostOfModel = 8
const mostModels = 256

/** What is known of one model's events, shared by all answers, as they differ only in what is in the holes. */
interface ModelTemplates {
  templates: EventTemplate[]
  tried: number
  hits: number
}

const shared = new Map<WireFormat, Map<string, ModelTemplates>>()

/** The templates that an answer's events are compared with before they are parsed. */
export class EventTemplates {
  readonly #format: WireFormat
  #own: EventTemplate[] = []
  #model: ModelTemplates | undefined
  #modelName: string | undefined

  constructor(format: WireFormat) {
    this.#format = format
  }

  /** HOT PATH: runs once per event. True: the event is read, into `reading`, which must be empty. */
  read(bytes: Buffer, start: number, end: number, reading: EventReading, facts: AnswerFacts): boolean {
    const own = this.#own
    for (let index = 0; index < own.length; index++) {
      if ((own[index] as EventTemplate).read(bytes, start, end, reading, facts)) return this.#hit()
    }
    const model = facts.servedModel ?? ''
    if (model !== this.#modelName) this.#lookUp(model)
    const known = this.#model
    if (known === undefined) return false
    for (const template of known.templates) {
      if (own.includes(template) || !template.read(bytes, start, end, reading, facts)) continue
      this.#take(template)
      return this.#hit()
    }
    return false
  }

  /** An output event that had to be parsed: perhaps others are like it. */
  learn(bytes: Buffer, start: number, end: number, reading: EventReading, facts: AnswerFacts): void {
    const known = this.#model
    // An event with usage, an end or an error is never taken: trying is what costs.
    if (known === undefined || reading.outputTokens !== undefined || facts.endSeen || facts.error !== undefined) return
    // Events of some answers never are alike (log probabilities): what is tried must pay for itself.
    if (known.tried >= 8 && known.hits < known.tried * 256) return
    known.tried++
    const template = EventTemplate.of(bytes.subarray(start, end), this.#format, reading)
    if (template === undefined) return
    known.templates.unshift(template)
    if (known.templates.length > mostOfModel) known.templates.pop()
    this.#take(template)
  }

  #hit(): true {
    if (this.#model !== undefined) this.#model.hits++
    return true
  }

  #take(template: EventTemplate): void {
    this.#own.unshift(template)
    if (this.#own.length > mostOfAnswer) this.#own.pop()
  }

  #lookUp(model: string): void {
    this.#modelName = model
    let models = shared.get(this.#format)
    if (models === undefined) {
      models = new Map()
      shared.set(this.#format, models)
    }
    this.#model = models.get(model)
    if (this.#model !== undefined) return
    this.#model = { templates: [], tried: 0, hits: 0 }
    models.set(model, this.#model)
    const oldest = models.keys().next().value
    if (models.size > mostModels && oldest !== undefined) models.delete(oldest)
  }
}
