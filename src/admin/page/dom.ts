type Child = Node | string

/** An element whose children are elements or text. Nothing on this page is ever made from markup: names come from outside. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag)
  for (const name in attributes) made.setAttribute(name, attributes[name] as string)
  made.append(...children)
  return made
}

export function vector<Tag extends keyof SVGElementTagNameMap>(
  tag: Tag,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Node[]
): SVGElementTagNameMap[Tag] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const name in attributes) made.setAttribute(name, attributes[name] as string)
  made.append(...children)
  return made
}

/** An element of the page's own markup. */
export function byId<Kind extends HTMLElement = HTMLElement>(id: string): Kind {
  const found = document.getElementById(id)
  if (found === null) throw new Error(`the page has no #${id}`)
  return found as Kind
}

/** Sets the text only where it changes: an unchanged node costs no layout. */
export function setText(node: Element, text: string): void {
  if (node.textContent !== text) node.textContent = text
}

export function setAttribute(node: Element, name: string, value: string): void {
  if (node.getAttribute(name) !== value) node.setAttribute(name, value)
}

/** Makes `parent` hold exactly these children, in this order, moving none that stands right already. */
export function arrange(parent: Element, children: readonly Element[]): void {
  const wanted = new Set<Element>(children)
  for (const child of [...parent.children]) if (!wanted.has(child)) child.remove()
  let next = parent.firstElementChild
  for (const child of children) {
    if (child === next) next = next.nextElementSibling
    else parent.insertBefore(child, next)
  }
}

/** An address beside the page's own, without user and password: `fetch` refuses those. */
export function address(path: string): string {
  const url = new URL(path, location.href)
  url.username = ''
  url.password = ''
  return url.href
}

export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  // Without TLS and off loopback there is no clipboard object.
  const area = element('textarea', { class: 'hidden' })
  area.value = text
  const host = document.querySelector('dialog[open]') ?? document.body
  host.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

/** A button that copies what `text` gives, and says so. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'copy' }, label)
  button.addEventListener('click', () => {
    void copyText(text()).then(
      () => {
        button.textContent = 'Copied'
        setTimeout(() => {
          button.textContent = label
        }, 1500)
      },
      () => {
        button.textContent = 'Could not copy'
      },
    )
  })
  return button
}
