import * as z from 'zod'
import { complaint } from './complaint.ts'

/** A mapping with these keys and no others; left out, it is all defaults. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const keys = Object.keys(shape).join(', ')
  return z.strictObject(shape, {
    error: (issue) => (issue.code === 'invalid_type' ? complaint(`a mapping with the keys ${keys}`)(issue) : undefined),
  })
}

/** A mapping with keys of the user's own. */
export function mapping<Value extends z.core.SomeType>(value: Value, expected: string) {
  return z.record(z.string(), value, { error: complaint(`a mapping of ${expected}`) })
}

export function list<Element extends z.core.SomeType>(element: Element, expected: string) {
  return z.array(element, { error: complaint(expected) })
}
