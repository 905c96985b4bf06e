import { readFileSync } from 'node:fs'
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import type { Path, Problem } from './problems.ts'

export interface YamlFile {
  readonly value: unknown
  /** Where the key or item stands, or the nearest thing around it that does. */
  positionOf(path: Path): { line: number; column: number } | undefined
}

/** Reads a YAML file whole. Finds all faults of its syntax; what the keys mean is not looked at. */
export function readYamlFile(file: string): YamlFile | { problems: Problem[] } {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    return { problems: [{ path: file, message: whyUnreadable(error as NodeJS.ErrnoException) }] }
  }
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, uniqueKeys: true })
  const faults = [...document.errors, ...document.warnings]
  if (faults.length > 0) {
    return {
      problems: faults.map(({ message, pos: [offset] }) => {
        const { line, col } = lines.linePos(offset)
        return { path: file, message: `is not valid YAML: ${message}`, line, column: col }
      }),
    }
  }
  const endless = endlessAlias(document)
  if (endless?.range) {
    const { line, col } = lines.linePos(endless.range[0])
    const message = `is not valid YAML: *${endless.source} stands inside what it stands for`
    return { problems: [{ path: file, message, line, column: col }] }
  }
  try {
    const value: unknown = document.toJS()
    return { value, positionOf: (path) => position(document, path, lines) }
  } catch (error) {
    // Aliases that multiply without end.
    return { problems: [{ path: file, message: `is not valid YAML: ${(error as Error).message}` }] }
  }
}

/** An alias inside its own anchor makes a value without end. */
function endlessAlias(document: Document): Alias | undefined {
  let found: Alias | undefined
  visit(document, {
    Alias(_key, alias, around) {
      const target = alias.resolve(document)
      if (target === undefined || !around.includes(target)) return undefined
      found = alias
      return visit.BREAK
    },
  })
  return found
}

function whyUnreadable(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'does not exist; expected the path of a YAML file'
  if (error.code === 'EISDIR') return 'is a folder; expected the path of a YAML file'
  if (error.code === 'EACCES') return 'may not be read by this user; expected read permission'
  if (error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is not UTF-8; expected a YAML file in UTF-8'
  return `cannot be read (${error.code ?? error.message}); expected the path of a YAML file`
}

function position(document: Document, path: Path, lines: LineCounter): { line: number; column: number } | undefined {
  let node: unknown = document.contents
  let offset = (node as Node | null)?.range?.[0]
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && key.value === String(part))
      if (pair === undefined) break
      offset = (pair.key as Node).range?.[0]
      node = pair.value
    } else if (isSeq(node) && typeof part === 'number') {
      node = node.items[part]
      offset = (node as Node | undefined)?.range?.[0] ?? offset
    } else break
  }
  if (offset === undefined) return undefined
  const { line, col } = lines.linePos(offset)
  return { line, column: col }
}
