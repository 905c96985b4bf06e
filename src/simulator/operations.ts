import type { AnswerFormatFactory } from './answer-format.ts'
import { chatFormat } from './chat.ts'
import { completionsFormat } from './completions.ts'
import { messagesFormat } from './messages.ts'
import { ollamaChatFormat, ollamaGenerateFormat } from './ollama.ts'
import type { SimulatedOperation } from './request.ts'
import { responsesFormat } from './responses.ts'

export interface OperationEntry {
  readonly operation: SimulatedOperation
  /** The path without a leading `/v1`. */
  readonly path: string
  readonly format: AnswerFormatFactory
}

/** An API is one file and one line here. */
export const operationEntries: readonly OperationEntry[] = [
  { operation: 'chat', path: '/chat/completions', format: chatFormat },
  { operation: 'completions', path: '/completions', format: completionsFormat },
  { operation: 'responses', path: '/responses', format: responsesFormat },
  { operation: 'messages', path: '/messages', format: messagesFormat },
  { operation: 'ollama_chat', path: '/api/chat', format: ollamaChatFormat },
  { operation: 'ollama_generate', path: '/api/generate', format: ollamaGenerateFormat },
]

/** Deployments in front of the path (as Azure has them) are let pass: the end decides, the longest first. */
export function operationFor(path: string): OperationEntry | undefined {
  return operationEntries.find((entry) => path === entry.path || path.endsWith(entry.path))
}
