import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readSource, repository } from './repository.ts'

/** Pages that people read: those of the root and of docs/, by their path in the repository. */
export const pages: readonly string[] = [
  ...readdirSync(repository).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(repository, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
].sort()

export interface CodeBlock {
  readonly page: string
  /** Of its first line of code, from 1. */
  readonly line: number
  readonly language: string
  readonly code: string
}

/** Fenced blocks, in order. */
export function codeBlocks(page: string): CodeBlock[] {
  const blocks: CodeBlock[] = []
  let open: { line: number; language: string; lines: string[] } | undefined
  for (const [index, text] of readSource(page).split('\n').entries()) {
    if (!text.startsWith('```')) open?.lines.push(text)
    else if (open === undefined) open = { line: index + 2, language: text.slice(3).trim(), lines: [] }
    else {
      blocks.push({ page, line: open.line, language: open.language, code: open.lines.join('\n') })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${page}: the block of line ${open.line} is not closed`)
  return blocks
}

/** The text without fenced blocks. */
export function prose(page: string): string {
  return readSource(page).replace(/^```.*\n[\s\S]*?^```$/gm, '')
}

/** Targets of links and images, outside code. */
export function linkTargets(page: string): string[] {
  const text = prose(page).replace(/`[^`\n]*`/g, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1] as string)
}

/** What can stand behind `#` in a link to the page, as GitHub makes it of its headings. */
export function anchors(page: string): Set<string> {
  const found = new Set<string>()
  for (const [, heading] of prose(page).matchAll(/^#{1,6} +(.+)$/gm)) {
    const plain = (heading as string).replace(/`|\*/g, '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const base = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-')
    let anchor = base
    for (let again = 1; found.has(anchor); again++) anchor = `${base}-${again}`
    found.add(anchor)
  }
  return found
}

/**
 * Rows of the table (the one that comes after `skipped` others like it) whose first head cell and number of columns are these, without head. Cells
 * keep their Markdown.
 */
export function tableRows(page: string, firstHead: string, columns: number, skipped = 0): string[][] {
  const lines = readSource(page).split('\n')
  const starts = [...lines.keys()].filter((index) => {
    const head = cellsOf(lines[index] as string)
    return head[0] === firstHead && head.length === columns && /^\|( ?-+ ?\|)+$/.test(lines[index + 1] ?? '')
  })
  const start = starts[skipped]
  if (start === undefined)
    throw new Error(`${page} has no table that begins with "${firstHead}" and has ${columns} columns`)
  const rows: string[][] = []
  for (const line of lines.slice(start + 2)) {
    if (!line.startsWith('|')) break
    rows.push(cellsOf(line))
  }
  return rows
}

function cellsOf(line: string): string[] {
  if (!line.startsWith('|')) return []
  return line
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
}
