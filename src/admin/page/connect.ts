import { byId, copyButton, element, setText } from './dom.ts'
import type { Model } from './model.ts'
import { snippetsFor } from './snippets.ts'

/** Names that may stand in an address and a shell line as they are. */
const plainName = /^[\w.:/-]{1,64}$/

/** Lines to paste, with the real address, the chosen app and gateway filled in. */
export class ConnectView {
  readonly #form = byId<HTMLFormElement>('connect-form')
  #model: Model | undefined
  #texts: { readonly code: HTMLElement; text: string }[] = []
  #openingOf: unknown

  constructor() {
    this.#form.addEventListener('submit', (event) => event.preventDefault())
    this.#form.addEventListener('input', () => this.#fill())
  }

  render(model: Model): void {
    this.#model = model
    if (model.opening === undefined || this.#openingOf === model.opening) return
    this.#openingOf = model.opening
    const names = model.opening.gateways.map((name, index) =>
      element('option', { value: index === 0 ? '' : name }, index === 0 ? `${name} (default)` : name),
    )
    ;(this.#form.elements.namedItem('gateway') as HTMLSelectElement).replaceChildren(...names)
    this.#texts = []
    byId('snippets').replaceChildren(
      ...this.#snippets().map(({ title }, index) => {
        const code = element('code')
        this.#texts.push({ code, text: '' })
        const head = element('summary', {}, title)
        const copy = copyButton('Copy', () => this.#texts[index]?.text ?? '')
        const box = element('div', { class: 'code' }, element('pre', { tabindex: '0' }, code), copy)
        const details = element('details', { name: 'snippet' }, head, box)
        if (index < 1) return element('div', { class: 'base' }, box)
        details.open = index === 1
        return details
      }),
    )
    this.#fill()
  }

  #fill(): void {
    for (const [index, { text }] of this.#snippets().entries()) {
      const place = this.#texts[index]
      if (place === undefined) continue
      place.text = text
      setText(place.code, text)
    }
  }

  #snippets() {
    const value = (name: string): string =>
      (this.#form.elements.namedItem(name) as HTMLInputElement | HTMLSelectElement).value.trim()
    // A model that was asked for already; never a name that could do something where it is pasted.
    const asked = this.#model?.exchanges.find(({ outcome, model }) => outcome === 'ok' && plainName.test(model))?.model
    return snippetsFor(
      reachable(this.#model?.opening?.proxyUrl ?? ''),
      value('app'),
      value('gateway'),
      asked ?? 'openai/gpt-4o-mini',
    )
  }
}

/** A proxy that listens everywhere is reached by the name that this page was reached by. */
function reachable(proxyUrl: string): string {
  const url = new URL(proxyUrl)
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = location.hostname
  return url.origin
}
