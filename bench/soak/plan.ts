/** What one exchange of the soak will be, decided before it begins. */
export interface PlannedExchange {
  /** Trace id: the exchange log tells it, so that every exchange can be found there. 32 hexadecimal digits. */
  readonly id: string
  readonly kind: Kind
  readonly events: number
  /** Between events, ms. */
  readonly gapMs: number
  /** Event before which a gateway that breaks off does so. */
  readonly breaksAt: number
  readonly client: 'reads' | 'reads slowly' | 'leaves'
  /** Body bytes after which a client that leaves does so. */
  readonly leavesAfter: number
  readonly leavesBy: 'fin' | 'reset'
  /** On a connection that served before, if there is one. */
  readonly keepsConnection: boolean
}

/** What the gateway does, with the outcome that is right for it, and how often it is chosen. */
export const kinds = {
  stream: { outcome: 'ok', weight: 40 },
  zipped: { outcome: 'ok', weight: 12 },
  whole: { outcome: 'ok', weight: 8 },
  'passed through': { outcome: 'ok', weight: 8 },
  upload: { outcome: 'ok', weight: 4 },
  reset: { outcome: 'gateway_error', weight: 6 },
  'reset before the head': { outcome: 'gateway_error', weight: 3 },
  'ended in a chunk': { outcome: 'gateway_error', weight: 5 },
  truncated: { outcome: 'truncated', weight: 4 },
  'error event': { outcome: 'stream_error', weight: 3 },
  limited: { outcome: 'rate_limited', weight: 3 },
  failed: { outcome: 'http_5xx', weight: 3 },
  refused: { outcome: 'http_4xx', weight: 1 },
} as const

export type Kind = keyof typeof kinds

const names = Object.keys(kinds) as Kind[]
const total = names.reduce((sum, name) => sum + kinds[name].weight, 0)

export function planExchange(n: number, random: () => number): PlannedExchange {
  const kind = chosen(random() * total)
  const events = 5 + Math.floor(random() * 60)
  const client = random()
  return {
    id: n.toString(16).padStart(32, '0').replace(/^0/, '1'),
    kind,
    events,
    gapMs: Math.floor(random() * 60),
    breaksAt: 1 + Math.floor(random() * events),
    client: client < 0.12 ? 'leaves' : client < 0.22 ? 'reads slowly' : 'reads',
    leavesAfter: Math.floor(random() * events * 90),
    leavesBy: random() < 0.5 ? 'fin' : 'reset',
    keepsConnection: random() < 0.7,
  }
}

function chosen(at: number): Kind {
  let left = at
  for (const name of names) {
    left -= kinds[name].weight
    if (left < 0) return name
  }
  return 'stream'
}

const event = (data: unknown): string =>
  `data: ${JSON.stringify({ id: 'soak', model: 'soak', ...(data as object) })}\n\n`

/** The events of an answer, the last ones included. */
export function eventsOf({ kind, events }: PlannedExchange): string[] {
  const texts = Array.from({ length: events }, (_, n) =>
    event({ choices: [{ index: 0, delta: { content: `word ${n} ` } }] }),
  )
  if (kind === 'truncated') return texts
  if (kind === 'error event') return [...texts, event({ error: { type: 'overloaded', message: 'no' } })]
  return [
    ...texts,
    event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
    event({ choices: [], usage: { prompt_tokens: 1, completion_tokens: events } }),
    'data: [DONE]\n\n',
  ]
}
