import type { BenchPlan, BenchTarget } from '../config/bench-schema.ts'
import type { PromptMode, PromptText } from './prompt.ts'

/** What a gateway was found to refuse, and is asked without. */
export interface Adaptation {
  readonly temperature: boolean
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  readonly streamOptions: boolean
}

export const unadapted: Adaptation = { temperature: true, maxTokensField: 'max_tokens', streamOptions: true }

export interface Question {
  readonly target: BenchTarget
  readonly model: string
  readonly text: PromptText
  readonly mode: PromptMode
  /** The same for all repetitions of a cached prompt. */
  readonly cacheKey: string
  readonly adaptation: Adaptation
}

type Body = Record<string, unknown>

/** Paths behind the base URL's `/v1`. */
export const paths: Readonly<Record<BenchTarget['operation'], string>> = {
  chat: '/v1/chat/completions',
  completions: '/v1/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
}

/** The body of one streamed request. */
export function requestBody(question: Question, plan: Pick<BenchPlan, 'maxTokens' | 'temperature'>): Body {
  const { target, adaptation, mode, cacheKey } = question
  const keyed = mode === 'cached' && target.cacheHint === 'prompt_cache_key' && target.operation !== 'messages'
  return {
    model: question.model,
    stream: true,
    ...byOperation[target.operation](question, plan.maxTokens),
    ...(plan.temperature !== 'none' && adaptation.temperature && { temperature: plan.temperature }),
    ...(keyed && { prompt_cache_key: cacheKey }),
    ...target.body,
  }
}

const byOperation: Readonly<Record<BenchTarget['operation'], (question: Question, maxTokens: number) => Body>> = {
  chat: (question, maxTokens) => {
    const { context, task } = partsOf(question)
    return {
      messages: [...(context === '' ? [] : [{ role: 'system', content: context }]), { role: 'user', content: task }],
      [question.adaptation.maxTokensField]: maxTokens,
      ...usageAsked(question),
    }
  },
  completions: (question, maxTokens) => {
    const { context, task } = question.text
    return { prompt: context === '' ? task : `${context}\n\n${task}`, max_tokens: maxTokens, ...usageAsked(question) }
  },
  responses: ({ text }, maxTokens) => ({
    ...(text.context !== '' && { instructions: text.context }),
    input: [{ role: 'user', content: text.task }],
    max_output_tokens: maxTokens,
    store: false,
  }),
  messages: (question, maxTokens) => {
    const { context, task } = partsOf(question)
    return {
      ...(context !== '' && { system: context }),
      messages: [{ role: 'user', content: task }],
      max_tokens: maxTokens,
    }
  },
}

const usageAsked = ({ adaptation }: Question): Body =>
  adaptation.streamOptions ? { stream_options: { include_usage: true } } : {}

/** What may be cached bears the marker: the context, or where there is none the task. */
function partsOf({ text, mode, target }: Question): { context: unknown; task: unknown } {
  if (mode !== 'cached' || target.cacheHint !== 'cache_control') return text
  const marked = (part: string) => [{ type: 'text', text: part, cache_control: { type: 'ephemeral' } }]
  return text.context === '' ? { ...text, task: marked(text.task) } : { ...text, context: marked(text.context) }
}

/** Flat list of names and values. No `accept-encoding`: nothing is to be decompressed between the gateway and the marks. */
export function requestHeaders(target: BenchTarget): string[] {
  const headers = new Map([
    ['content-type', 'application/json'],
    ['accept', 'text/event-stream, application/json'],
    ['user-agent', 'streamgauge-bench'],
  ])
  if (target.operation === 'messages') headers.set('anthropic-version', '2023-06-01')
  if (target.apiKey !== '') {
    if (target.operation === 'messages') headers.set('x-api-key', target.apiKey)
    else headers.set('authorization', `Bearer ${target.apiKey}`)
  }
  for (const [name, value] of Object.entries(target.headers)) headers.set(name, value)
  return [...headers].flat()
}
