import type { Advice } from '../../report/live-shapes.ts'
import { byId, element } from './dom.ts'
import { timeOfDay } from './format.ts'
import type { Model } from './model.ts'

const kinds: Readonly<Record<Advice['kind'], string>> = {
  app: 'App',
  gateway: 'Gateway',
  model: 'Model',
  instrument: 'Streamgauge',
}

/** What cannot be measured, why, and what to do about it. */
export class AdviceView {
  readonly #open: (id: string) => void
  #drawn = ''

  constructor(open: (id: string) => void) {
    this.#open = open
  }

  render(model: Model): void {
    // The same lines are left as they are: somebody may be reading or have the focus on one.
    const wanted = JSON.stringify(model.advice.map(({ example, ...line }) => line))
    if (this.#drawn === wanted) return
    this.#drawn = wanted
    byId('advice-empty').hidden = model.advice.length > 0
    byId('advice').replaceChildren(...model.advice.map((line) => this.#itemOf(line)))
  }

  #itemOf({ severity, kind, name, what, why, remedy, example, at }: Advice): HTMLLIElement {
    const subject = name === '' ? kinds[kind] : `${kinds[kind]} ${name}`
    const item = element(
      'li',
      { class: severity },
      element(
        'p',
        {},
        element('strong', {}, `${name === '' && kind !== 'instrument' ? 'No name' : subject}: `),
        `${what}${at === null ? '' : ` at ${timeOfDay(at)}`}: ${why}.`,
      ),
      element('p', { class: 'muted' }, remedy),
    )
    if (example === null) return item
    const button = element('button', { type: 'button', class: 'quiet' }, 'Show one')
    button.addEventListener('click', () => this.#open(example))
    item.append(button)
    return item
  }
}
