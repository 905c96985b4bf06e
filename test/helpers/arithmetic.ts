/** The value of numbers with + - * / and brackets; nothing else is read, so that no text of a page is ever run. */
export function arithmetic(text: string): number {
  const tokens = text.match(/\d+(?:\.\d+)?|[-+*/()]/g) ?? []
  if (tokens.join('') !== text.replaceAll(' ', '')) throw new Error(`not arithmetic: ${text}`)
  let at = 0
  const sum = (): number => {
    let value = product()
    while (tokens[at] === '+' || tokens[at] === '-') value += (tokens[at++] === '+' ? 1 : -1) * product()
    return value
  }
  const product = (): number => {
    let value = atom()
    while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * atom() : value / atom()
    return value
  }
  const atom = (): number => {
    const token = tokens[at++]
    if (token !== '(') return Number(token)
    const value = sum()
    at++
    return value
  }
  return sum()
}
