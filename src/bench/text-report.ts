import type { Section } from './report-section.ts'

/** For a terminal; ends with a line feed. */
export function textReport(sections: readonly Section[]): string {
  return sections
    .map(
      (section) =>
        `${section.title}\n${[...tableLines(section), ...section.notes.map((note) => `  ${note}`)].join('\n')}\n`,
    )
    .join('\n')
}

function tableLines({ table }: Section): string[] {
  if (table === undefined || table.rows.length === 0) return []
  const rows = [table.head, ...table.rows]
  const widths = table.head.map((_, at) => Math.max(...rows.map((row) => [...(row[at] ?? '')].length)))
  return rows.map((row) =>
    row
      .map((cell, at) => {
        const width = widths[at] as number
        // The last column of text needs no filling: reasons are long.
        if (at < table.texts) return at === row.length - 1 ? cell : cell.padEnd(width)
        return ' '.repeat(width - [...cell].length) + cell
      })
      .join('  ')
      .replace(/^/, '  ')
      .trimEnd(),
  )
}

/** For a pull request. */
export function markdownReport(sections: readonly Section[]): string {
  const parts = sections.map(({ title, table, notes }) => {
    const lines = [`### ${escaped(title)}`, '']
    if (table !== undefined && table.rows.length > 0) {
      const rule = table.head.map((_, at) => (at < table.texts ? '---' : '---:'))
      for (const row of [table.head, rule, ...table.rows]) lines.push(`| ${row.map(escaped).join(' | ')} |`)
      lines.push('')
    }
    for (const note of notes) lines.push(`* ${escaped(note)}`)
    return `${lines.join('\n').trimEnd()}\n`
  })
  return `## Streamgauge bench\n\n${parts.join('\n')}`
}

/** Names come from outside. */
const escaped = (text: string): string =>
  text.replace(/[\\|<>*`[\]]/g, (sign) => (sign === '[' || sign === ']' ? sign : `\\${sign}`)).replace(/\s+/g, ' ')
