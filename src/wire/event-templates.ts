import { type AnswerFacts, type EventReading, emptyReading } from './event-reading.ts'
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
  readonly #own: EventTemplate[] = []
  #model: ModelTemplates | undefined
  #modelName: string | undefined

  constructor(format: WireFormat) {
    this.#format = format
  }

  /** HOT PATH: runs once per event. True: the event is read, into `reading`, which must be empty. */
  read(bytes: Buffer, start: number, end: number, reading: EventReading, facts: AnswerFacts): boolean {
    const own = this.#own
    for (let index = 0; index < own.length; index++) {
      if (!(own[index] as EventTemplate).read(bytes, start, end, reading, facts)) continue
      if (this.#model !== undefined) this.#model.hits++
      return true
    }
    // Later phases are looked up when they come (`learn`): at every event it would cost more than it saves.
    return own.length === 0 && facts.servedModel !== undefined && this.#known(bytes, start, end, reading, facts)
  }

  /** An output event that had to be parsed: the next ones may be like it. */
  learn(bytes: Buffer, start: number, end: number, reading: EventReading, facts: AnswerFacts): void {
    // An event with usage, an end or an error is never taken: trying is what costs.
    if (reading.outputTokens !== undefined || facts.endSeen || facts.error !== undefined) return
    if (this.#known(bytes, start, end, emptyReading(), facts)) return
    const known = this.#lookUp(facts.servedModel ?? '')
    // Events of some answers never are alike (log probabilities): what is tried must pay for itself.
    if (known.tried >= 8 && known.hits < known.tried * 256) return
    known.tried++
    const template = EventTemplate.of(bytes.subarray(start, end), this.#format, reading)
    if (template === undefined) return
    known.templates.unshift(template)
    if (known.templates.length > mostOfModel) known.templates.pop()
    this.#take(template)
  }

  /** Whether the event is like one of the model's, which is then one of this answer's. */
  #known(bytes: Buffer, start: number, end: number, reading: EventReading, facts: AnswerFacts): boolean {
    const { templates } = this.#lookUp(facts.servedModel ?? '')
    for (let index = 0; index < templates.length; index++) {
      const template = templates[index] as EventTemplate
      if (!template.read(bytes, start, end, reading, facts)) continue
      this.#take(template)
      return true
    }
    return false
  }

  #take(template: EventTemplate): void {
    this.#own.unshift(template)
    if (this.#own.length > mostOfAnswer) this.#own.pop()
  }

  #lookUp(name: string): ModelTemplates {
    if (this.#model !== undefined && name === this.#modelName) return this.#model
    this.#modelName = name
    let models = shared.get(this.#format)
    if (models === undefined) {
      models = new Map()
      shared.set(this.#format, models)
    }
    let model = models.get(name)
    if (model === undefined) {
      model = { templates: [], tried: 0, hits: 0 }
      models.set(name, model)
      const oldest = models.keys().next().value
      if (models.size > mostModels && oldest !== undefined) models.delete(oldest)
    }
    this.#model = model
    return model
  }
}
