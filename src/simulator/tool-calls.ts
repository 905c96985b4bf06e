import { type JsonObject, objectOf } from './json.ts'
import type { Piece } from './plan.ts'
import type { Random } from './random.ts'
import type { ToolDeclaration } from './request.ts'
import { tokenTexts } from './vocabulary.ts'

/** Which tool call a piece belongs to. */
export interface ToolMark {
  /** Counted from 0 within its choice. */
  readonly index: number
  readonly id: string
  readonly name: string
  readonly opens: boolean
  readonly closes: boolean
}

const weather: ToolDeclaration = {
  name: 'get_weather',
  schema: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
}

function argumentFor(schema: JsonObject, random: Random, depth: number): unknown {
  const choices = schema['enum']
  if (Array.isArray(choices) && choices.length > 0) return random.pick(choices)
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return random.integer(1, 9)
    case 'boolean':
      return random.next() < 0.5
    case 'array':
      return depth > 3 ? [] : [argumentFor(objectOf(schema['items']), random, depth + 1)]
    case 'object':
      return depth > 3 ? {} : argumentsFor(schema, random, depth + 1)
    default:
      return tokenTexts(random, 6).join('')
  }
}

function argumentsFor(schema: JsonObject, random: Random, depth = 0): JsonObject {
  const made: JsonObject = {}
  for (const [name, property] of Object.entries(objectOf(schema['properties']))) {
    made[name] = argumentFor(objectOf(property), random, depth)
  }
  return made
}

/** Calls of the declared tools in turn, as one choice's pieces: the name is one token, four code points of the arguments are another. */
export function callTools(random: Random, tools: readonly ToolDeclaration[], choice: number, count: number): Piece[] {
  const declared = tools.length > 0 ? tools : [weather]
  const pieces: Piece[] = []
  for (let index = 0; index < count; index++) {
    const { name, schema } = declared[index % declared.length] as ToolDeclaration
    const id = `call_${random.integer(0, 0xffffffff).toString(16).padStart(8, '0')}`
    const parts = JSON.stringify(argumentsFor(schema, random)).match(/.{1,4}/gsu) ?? []
    pieces.push({ phase: 'tool', choice, text: '', tokens: 1, tool: { index, id, name, opens: true, closes: false } })
    for (const [at, text] of parts.entries()) {
      const closes = at === parts.length - 1
      pieces.push({ phase: 'tool', choice, text, tokens: 1, tool: { index, id, name, opens: false, closes } })
    }
  }
  return pieces
}
