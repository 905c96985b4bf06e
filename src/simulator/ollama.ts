import {
  type Answer,
  type AnswerFormat,
  type AnswerFormatFactory,
  failureMessage,
  pieceChars,
  wholeChoices,
} from './answer-format.ts'
import type { JsonObject } from './json.ts'
import { reportsUsage } from './openai-usage.ts'
import { codePoints } from './vocabulary.ts'

/** How the two operations of Ollama's native API name what they say. */
type Wording = (content: string, thinking: string, calls: JsonObject[]) => JsonObject

function ollamaFormat(answer: Answer, say: Wording): AnswerFormat {
  const { plan } = answer
  const { script, usage, endAt } = plan
  const frame = { model: answer.servedModel, created_at: new Date(answer.created * 1000).toISOString() }
  const line = (fields: JsonObject): string => `${JSON.stringify({ ...frame, ...fields })}\n`
  const nanoseconds = (ms: number): number => Math.round(ms * 1e6)
  const last = (): JsonObject => ({
    done: true,
    done_reason: script.finishReason ?? (plan.finishReason === 'length' ? 'length' : 'stop'),
    total_duration: nanoseconds(endAt),
    load_duration: nanoseconds(1),
    ...(reportsUsage(script, true)
      ? {
          prompt_eval_count: usage.input,
          prompt_eval_duration: nanoseconds(script.ttftMs),
          eval_count: usage.output,
          eval_duration: nanoseconds(Math.max(0, endAt - script.ttftMs)),
        }
      : {}),
  })
  // A call is told whole, in one line, when its arguments are through.
  let call = ''
  return {
    contentType: 'application/x-ndjson',
    comment: '',
    opening: () => [],
    piece(piece) {
      const { phase, text, tool } = piece
      if (tool === undefined) {
        const said = phase === 'reasoning' ? say('', text, []) : say(text, '', [])
        return { before: [], event: line({ ...said, done: false }), chars: pieceChars(piece) }
      }
      call = tool.opens ? '' : call + text
      if (!tool.closes) return { before: [], event: undefined, chars: 0 }
      const calls = [{ function: { name: tool.name, arguments: JSON.parse(call) } }]
      return {
        before: [],
        event: line({ ...say('', '', calls), done: false }),
        chars: codePoints(tool.name) + codePoints(call),
      }
    },
    closing: () => [line({ ...say('', '', []), ...last() })],
    failure: () => [`${JSON.stringify({ error: failureMessage })}\n`],
    whole: () => {
      const whole = wholeChoices(answer)[0] as ReturnType<typeof wholeChoices>[number]
      const calls = whole.calls.map(({ name, arguments: text }) => ({
        function: { name, arguments: JSON.parse(text || '{}') },
      }))
      return { ...frame, ...say(whole.answer, whole.reasoning, calls), ...last() }
    },
  }
}

/** `POST /api/chat`. */
export const ollamaChatFormat: AnswerFormatFactory = (answer) =>
  ollamaFormat(answer, (content, thinking, calls) => ({
    message: {
      role: 'assistant',
      content,
      ...(thinking === '' ? {} : { thinking }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    },
  }))

/** `POST /api/generate`: text alone. */
export const ollamaGenerateFormat: AnswerFormatFactory = (answer) =>
  ollamaFormat(answer, (content, thinking) => ({ response: content, ...(thinking === '' ? {} : { thinking }) }))
