import type { ExchangeRow, RunningRow } from '../../report/live-shapes.ts'
import { arrange, byId, element, setText } from './dom.ts'
import { count, rate, span } from './format.ts'
import { isFailure, type Model } from './model.ts'
import { roundScale, Timeline } from './timeline.ts'

/** Slots that stay, so that the page below does not jump as streams come and go. */
const fewestSlots = 6
/** An ended stream stays in its slot until another needs it, or this long (ms). */
const afterglowMs = 60_000
/** The common scale grows with the streams up to here (ms); one that runs longer has a scale of its own. */
const longestScale = 30_000

/** One stream's place in the list. */
class Slot {
  readonly item = element('li')
  id = ''
  endedAt: number | undefined
  readonly #timeline = new Timeline()
  readonly #model = element('span', { class: 'model' })
  readonly #where = element('span', { class: 'where muted' })
  readonly #state = element('span', { class: 'phase' })
  readonly #elapsed = element('span', { class: 'number elapsed' })
  readonly #chars = element('span', { class: 'number chars' })
  readonly #rate = element('span', { class: 'number rate' })

  constructor() {
    const names = element('span', { class: 'names' }, this.#model, this.#where)
    const track = element('span', { class: 'track' }, this.#timeline.svg)
    this.item.append(names, track, this.#state, this.#elapsed, this.#chars, this.#rate)
  }

  show(row: RunningRow, model: Model, scale: number): void {
    this.#names(row)
    this.endedAt = undefined
    this.item.className = ''
    const course = model.course(row)
    this.#timeline.draw(course, Math.max(scale, row.elapsed > longestScale ? row.elapsed : 0))
    const speed = model.rateOf(row)
    setText(this.#state, phaseOf(row, course.mark('lastToken'), course.mark))
    this.#numbers(row.elapsed, row.chars, speed === undefined ? '' : `${rate(speed)} char/s`)
  }

  /** The stream is over; `row` is missing where it was left out of a crowded snapshot. */
  end(row: ExchangeRow | undefined, model: Model, scale: number, now: number): void {
    this.endedAt ??= now
    this.item.className = 'over'
    if (row === undefined) {
      setText(this.#state, 'ended')
      return
    }
    const course = model.course(row)
    this.#timeline.draw(course, Math.max(scale, course.until > longestScale ? course.until : 0))
    this.item.classList.toggle('bad', isFailure(row.outcome))
    setText(this.#state, row.outcome.replaceAll('_', ' '))
    const tokens = model.figure(row, 'output_tokens_per_second')
    setText(this.#elapsed, span(course.until))
    setText(this.#rate, typeof tokens === 'number' ? `${rate(tokens)} tok/s` : '')
  }

  #names({ id, model, operation, app, gateway }: RunningRow): void {
    this.id = id
    setText(this.#model, model || (operation ?? ''))
    setText(this.#where, [app, gateway].filter(Boolean).join(' · '))
    this.#model.title = model
  }

  #numbers(elapsed: number, chars: number, speed: string): void {
    setText(this.#elapsed, span(elapsed))
    setText(this.#chars, chars === 0 ? '' : `${count(chars)} chars`)
    setText(this.#rate, speed)
  }
}

function phaseOf(row: RunningRow, last: number | undefined, mark: (name: string) => number | undefined): string {
  if (mark('sent') === undefined) return 'connecting'
  if (!row.streamAsked) return mark('firstByte') === undefined ? 'waiting for the answer' : 'answer'
  if (last === undefined) return mark('headers') === undefined ? 'waiting for headers' : 'waiting for a token'
  if (row.elapsed - last > 1000) return `silent for ${span(row.elapsed - last)}`
  return mark('firstAnswer') === undefined ? 'reasoning' : 'answer'
}

/** The running streams, each in a place of its own from its begin to a while after its end. */
export class RunningView {
  readonly #list = byId<HTMLUListElement>('streams')
  readonly #axis = byId('now-axis')
  #slots: Slot[] = []
  #scale = 0

  render(model: Model): void {
    const snapshot = model.latest
    if (snapshot === undefined) return
    const { running, runningTotal, awaiting, now } = snapshot
    this.#setScale(running)
    const rows = new Map(running.map((row) => [row.id, row]))
    const ended = new Map(model.exchanges.slice(0, 200).map((row) => [row.id, row]))
    const placed = new Set<string>()
    for (const slot of this.#slots) {
      const row = rows.get(slot.id)
      if (row === undefined) slot.end(ended.get(slot.id), model, this.#scale, now)
      else slot.show(row, model, this.#scale)
      placed.add(slot.id)
    }
    this.#slots = this.#slots.filter(({ endedAt }) => endedAt === undefined || now - endedAt < afterglowMs)
    for (const row of running) if (!placed.has(row.id)) this.#free().show(row, model, this.#scale)
    arrange(
      this.#list,
      this.#slots.map(({ item }) => item),
    )
    const hidden = runningTotal - running.length
    const text = `${runningTotal} running, ${awaiting} waiting for the first token`
    setText(byId('now-count'), hidden > 0 ? `${text}; the oldest and newest ${running.length} are shown` : text)
    byId('now-empty').hidden = this.#slots.length > 0
    this.#list.hidden = this.#axis.hidden = this.#slots.length === 0
  }

  /** The slot whose stream ended first, where there are enough slots, else a new one. */
  #free(): Slot {
    const over = this.#slots.filter(({ endedAt }) => endedAt !== undefined)
    const [oldest] = over.sort((a, b) => (a.endedAt as number) - (b.endedAt as number))
    if (oldest !== undefined && this.#slots.length >= fewestSlots) return oldest
    const slot = new Slot()
    this.#slots.push(slot)
    return slot
  }

  /** Grows at once, and shrinks when what is shown would fill less than a third. */
  #setScale(running: readonly RunningRow[]): void {
    const longest = Math.max(3000, ...running.map(({ elapsed }) => Math.min(elapsed, longestScale)))
    const wanted = roundScale(longest)
    if (wanted === this.#scale || (wanted < this.#scale && longest > this.#scale / 3)) return
    this.#scale = wanted
    const labels = [0, 1, 2, 3, 4, 5].map((fifth) => {
      const label = element('span', {}, `${(wanted * fifth) / 5000} s`)
      label.style.insetInlineStart = `${fifth * 20}%`
      return label
    })
    this.#axis.replaceChildren(element('div', { class: 'ruler' }, ...labels))
  }
}
