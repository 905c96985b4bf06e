// What an event means, for the reference reader: a list of its texts, each with its kind.
import type { Operation } from '../../src/measurement/stream-measurement.ts'
import { type Json, label, list, noteErrors, object, short, usage } from './reference-figures.ts'
import type { ReferenceEvent, ReferenceFacts } from './reference-reader.ts'

type Kind = 'content' | 'reasoning' | 'tool' | 'sound'
type Text = readonly [Kind, unknown]

/** Reads a message into the facts, and says what output it holds. */
export function referenceMeaning(
  message: object,
  operation: Operation,
  whole: boolean,
  facts: ReferenceFacts,
  namedError = false,
): Omit<ReferenceEvent, 'completedBy'> {
  noteErrors(message, facts)
  if (namedError) facts.error ??= label(message) ?? 'error'
  const texts = Array.isArray(message) ? [] : readers[operation](message as Json, whole, facts)
  const said = texts.filter((text): text is [Kind, string] => typeof text[1] === 'string' && text[1] !== '')
  const chars = (kind: Kind): number => said.reduce((sum, [is, text]) => sum + (is === kind ? [...text].length : 0), 0)
  if (operation === 'messages' && !whole && chars('reasoning') > 0) facts.reasoningSummarised = true
  return {
    reasoning: said.some(([kind]) => kind === 'reasoning'),
    answer: said.some(([kind]) => kind !== 'reasoning'),
    contentChars: chars('content'),
    reasoningChars: chars('reasoning'),
    toolChars: chars('tool'),
  }
}

const readers: Record<Operation, (message: Json, whole: boolean, facts: ReferenceFacts) => Text[]> = {
  chat: (message, whole, facts) => choices(message, whole, facts, false),
  completions: (message, whole, facts) => choices(message, whole, facts, true),
  responses: (message, whole, facts) => {
    if (whole) {
      const running = message['status'] === 'in_progress' || message['status'] === 'queued'
      response(message, running ? undefined : message['status'], facts)
      return list(message['output']).flatMap(item)
    }
    const type = message['type']
    if (typeof type !== 'string') return []
    if (type.endsWith('.delta')) {
      const text = typeof message['delta'] === 'string' ? message['delta'] : object(message['delta'])['text']
      if (/^response\.(output_)?audio\.delta$/.test(type)) return [['sound', text]]
      if (type.startsWith('response.reasoning')) return [['reasoning', text]]
      if (/[_.](arguments|input|code)\.delta$/.test(type)) return [['tool', text]]
      return [['content', text]]
    }
    if (typeof message['response'] !== 'object' || message['response'] === null) return []
    const status = /^response\.(completed|incomplete|failed)$/.exec(type)?.[1]
    response(message['response'] as Json, status, facts)
    if (status !== undefined) facts.protocolEndSeen = true
    return []
  },
  messages: (message, whole, facts) => {
    const head = (value: Json): void => {
      facts.servedModel = short(value['model'], 128) ?? facts.servedModel
      facts.finishReason = short(value['stop_reason']) ?? facts.finishReason
      usage(value['usage'], facts)
    }
    if (whole) {
      head(message)
      if (facts.finishReason !== undefined) facts.endSeen = true
      return list(message['content']).flatMap((entry): Text[] => {
        const block = object(entry)
        if (toolUse(block)) return [['tool', block['name']], ...args(block['input'])]
        if (block['type'] === 'text') return [['content', block['text']]]
        return block['type'] === 'thinking' ? [['reasoning', block['thinking']]] : []
      })
    }
    const delta = object(message['delta'])
    const block = object(message['content_block'])
    if (message['type'] === 'message_start') head(object(message['message']))
    if (message['type'] === 'message_delta') head({ stop_reason: delta['stop_reason'], usage: message['usage'] })
    if (message['type'] === 'message_stop') facts.endSeen = facts.protocolEndSeen = true
    if (message['type'] === 'content_block_start' && toolUse(block)) return [['tool', block['name']]]
    if (message['type'] !== 'content_block_delta') return []
    return [
      ['content', delta['text']],
      ['reasoning', delta['thinking']],
      ['tool', delta['partial_json']],
    ]
  },
  ollama_chat: ollama,
  ollama_generate: ollama,
}

function ollama(message: Json, _whole: boolean, facts: ReferenceFacts): Text[] {
  facts.servedModel = short(message['model'], 128) ?? facts.servedModel
  if (message['done'] === true) {
    facts.finishReason = short(message['done_reason']) ?? facts.finishReason
    facts.endSeen = facts.protocolEndSeen = true
    usage(message, facts)
  }
  const inner = object(message['message'])
  return [
    ['content', message['response']],
    ['reasoning', message['thinking']],
    ['content', inner['content']],
    ['reasoning', inner['thinking']],
    ...list(inner['tool_calls']).flatMap((call) => called(object(call)['function'])),
  ]
}

function choices(message: Json, whole: boolean, facts: ReferenceFacts, textFirst: boolean): Text[] {
  facts.servedModel = short(message['model'], 128) ?? facts.servedModel
  facts.provider = short(message['provider']) ?? facts.provider
  const texts = list(message['choices']).flatMap((entry, at): Text[] => {
    if (typeof entry !== 'object' || entry === null) return []
    const choice = entry as Json
    const index = Number.isInteger(choice['index']) ? (choice['index'] as number) : at
    if (index < 65536) facts.choices = Math.max(facts.choices, index + 1)
    const finish = short(choice['finish_reason'])
    if (finish !== undefined) {
      facts.finishReason = finish
      facts.endSeen = true
    }
    if (choice['error']) facts.error ??= label(choice['error']) ?? 'error'
    usage(choice['usage'], facts)
    const inner = whole ? choice['message'] : choice['delta']
    const plain: Text = ['content', choice['text']]
    if (textFirst) return choice['text'] && typeof choice['text'] === 'string' ? [plain] : chatMessage(inner)
    return typeof inner === 'object' && inner !== null ? chatMessage(inner) : [plain]
  })
  usage(object(message['x_groq'])['usage'], facts)
  usage(message['usage'], facts, message['timings'])
  return texts
}

function chatMessage(value: unknown): Text[] {
  const message = object(value)
  const parts = (entries: unknown): Text[] =>
    list(entries).map((entry) => {
      const part = object(entry)
      return [
        'reasoning',
        [part['text'], part['summary'], part['thinking']].find((text) => typeof text === 'string' && text !== ''),
      ]
    })
  const named = [
    [['reasoning', message['reasoning_content']]],
    [['reasoning', message['reasoning']]],
    parts(message['reasoning_details']),
    parts(message['thinking_blocks']),
  ].find((texts) => texts.some(([, text]) => typeof text === 'string' && text !== '')) as Text[] | undefined
  const content = list(message['content']).flatMap((entry): Text[] => {
    if (typeof entry === 'string') return [['content', entry]]
    const part = object(entry)
    if (part['type'] !== 'thinking' && part['type'] !== 'reasoning') {
      return [['content', typeof part['text'] === 'string' && part['text'] !== '' ? part['text'] : part['refusal']]]
    }
    if (named !== undefined) return []
    if (typeof part['thinking'] === 'string' && part['thinking'] !== '') return [['reasoning', part['thinking']]]
    const nested = parts(part['thinking'])
    return nested.some(([, text]) => text !== undefined) ? nested : [['reasoning', part['text']]]
  })
  const audio = object(message['audio'])
  return [
    ...(named ?? []),
    ['content', message['content']],
    ...content,
    ['content', message['refusal']],
    ...list(message['tool_calls']).flatMap((call) => [
      ...called(object(call)['function']),
      ...called(object(call)['custom']),
    ]),
    ...called(message['function_call']),
    ['content', audio['transcript']],
    ['sound', audio['data']],
  ]
}

function called(value: unknown): Text[] {
  const call = object(value)
  return [['tool', call['name']], ...args(call['arguments']), ...args(call['input'])]
}

function args(value: unknown): Text[] {
  if (typeof value === 'object' && value !== null)
    return Object.keys(value).length > 0 ? [['tool', JSON.stringify(value)]] : []
  return [['tool', value]]
}

function item(value: unknown): Text[] {
  const entry = object(value)
  const parts = (entries: unknown, kind: Kind): Text[] =>
    list(entries).map((part) => [
      kind,
      ['text', 'refusal', 'transcript']
        .map((name) => object(part)[name])
        .find((text) => typeof text === 'string' && text !== ''),
    ])
  if (entry['type'] === 'message') return parts(entry['content'], 'content')
  if (entry['type'] === 'reasoning') {
    const content = parts(entry['content'], 'reasoning').filter(([, text]) => text !== undefined)
    return content.length > 0 ? content : parts(entry['summary'], 'reasoning')
  }
  return [['tool', entry['name']], ...args(entry['arguments']), ...args(entry['input']), ['tool', entry['code']]]
}

function response(value: Json, status: unknown, facts: ReferenceFacts): void {
  facts.servedModel = short(value['model'], 128) ?? facts.servedModel
  usage(value['usage'], facts)
  if (value['error']) facts.error ??= label(value['error']) ?? 'error'
  const ended = short(status)
  if (ended === undefined) return
  facts.endSeen = true
  facts.finishReason = ended === 'incomplete' ? (short(object(value['incomplete_details'])['reason']) ?? ended) : ended
  if (ended === 'failed') facts.error ??= 'failed'
}

function toolUse(block: Json): boolean {
  return typeof block['type'] === 'string' && block['type'].endsWith('tool_use')
}
