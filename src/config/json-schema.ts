import * as z from 'zod'
import { configSchema } from './schema.ts'

/** The parts of a JSON schema that this configuration uses. */
export interface JsonSchema {
  readonly type?: string
  readonly title?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly propertyNames?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
}

/** For editors (draft 7 is what they know best) and for the table in the docs. */
export function configJsonSchema(): JsonSchema {
  const { $schema, ...schema } = z.toJSONSchema(configSchema, { io: 'input', target: 'draft-07' })
  return { $schema, title: 'Configuration of Streamgauge', ...schema } as JsonSchema
}
