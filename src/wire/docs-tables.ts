import { answerHeaders } from './answer-headers.ts'
import { framingContentTypes } from './framing-choice.ts'
import { usageNames } from './reported-usage.ts'
import { wireFormats } from './wire-formats.ts'

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** The tables of docs/wire-formats.md that are made of this room's lists, by name. */
export function wireTables(): Map<string, string> {
  const framings = Object.entries(framingContentTypes)
  return new Map([
    [
      'wire formats',
      table(
        ['operation', 'closed by', 'prompt tokens'],
        wireFormats.map((format) => [
          code(format.operations),
          code(format.protocolEnds),
          format.inputAccounting === 'includes_cache' ? 'cached ones among them' : 'cached ones beside them',
        ]),
      ),
    ],
    [
      'framings',
      table(
        ['framing', 'content types'],
        [...new Set(framings.map(([, framing]) => framing))].map((framing) => [
          `\`${framing}\``,
          code(framings.filter(([, name]) => name === framing).map(([type]) => type)),
        ]),
      ),
    ],
    [
      'usage names',
      table(
        ['figure', 'names'],
        Object.entries(usageNames).map(([figure, names]) => [`\`${figure}\``, code(names)]),
      ),
    ],
    [
      'answer headers',
      table(
        ['fact', 'headers, the first that is there'],
        Object.entries(answerHeaders).map(([fact, names]) => [`\`${fact}\``, code(names)]),
      ),
    ],
  ])
}
