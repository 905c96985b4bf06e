/** Text that is markup already. */
export interface Markup {
  readonly markup: string
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => entities[character] as string)

type Piece = string | number | Markup | readonly Markup[]

function pieceOf(piece: Piece): string {
  if (typeof piece === 'string') return escapeHtml(piece)
  if (typeof piece === 'number') return String(piece)
  return 'markup' in piece ? piece.markup : piece.map(({ markup }) => markup).join('')
}

/** Markup with what is put into it escaped, unless it is markup itself. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Markup {
  return { markup: strings.reduce((text, string, index) => text + pieceOf(pieces[index - 1] ?? '') + string) }
}
