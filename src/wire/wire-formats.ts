import type { Operation } from '../measurement/stream-measurement.ts'
import { chatCompletions } from './chat-completions.ts'
import { completions } from './completions.ts'
import { messages } from './messages.ts'
import { ollama } from './ollama.ts'
import { responses } from './responses.ts'
import type { WireFormat } from './wire-format.ts'

/** Every format there is. A new one is a file and a line here (docs/wire-formats.md). */
export const wireFormats: readonly WireFormat[] = [chatCompletions, completions, responses, messages, ollama]

const byOperation = new Map(wireFormats.flatMap((format) => format.operations.map((operation) => [operation, format])))

export function wireFormatOf(operation: Operation): WireFormat {
  return byOperation.get(operation) ?? chatCompletions
}
