import * as z from 'zod'
import type { Path } from './problems.ts'

/** The keys that the schema knows at a path; none where keys are the user's own. */
export function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  const here = unwrapped(schema)
  const [part, ...rest] = path
  if (part === undefined) {
    if (here instanceof z.ZodObject) return Object.keys(here.shape)
    if (here instanceof z.ZodRecord && here.keyType instanceof z.ZodEnum) return here.keyType.options.map(String)
    return []
  }
  const inner = innerOf(here, String(part))
  return inner === undefined ? [] : keysAt(inner, rest)
}

function innerOf(schema: z.core.$ZodType, key: string): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodObject) return Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined
  if (schema instanceof z.ZodArray) return schema.element
  if (schema instanceof z.ZodRecord) return schema.valueType
  return undefined
}

/** Defaults and transforms taken off. */
function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) {
    return unwrapped(schema.def.innerType)
  }
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema
}
