import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { type SoakGateway, wholeBody } from './gateway.ts'
import { eventsOf, type PlannedExchange } from './plan.ts'

const kept = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY })

/** Closes the connections that wait for a next request. */
export function closeKeptConnections(): void {
  kept.destroy()
}

export interface SoakResult {
  readonly status: number | undefined
  readonly complete: boolean
  /** What is wrong with what came; `undefined`: nothing. */
  readonly fault: string | undefined
}

/** One request and what becomes of it. */
export async function runExchange(proxyUrl: string, gateway: SoakGateway, plan: PlannedExchange): Promise<SoakResult> {
  const body = plan.kind === 'passed through' ? undefined : bodyOf(plan)
  const request = httpRequest(`${proxyUrl}${pathOf(plan)}`, {
    method: body === undefined ? 'GET' : 'POST',
    agent: plan.keepsConnection && plan.client !== 'leaves' ? kept : false,
    headers: {
      traceparent: `00-${plan.id}-1000000000000000-01`,
      'content-type': 'application/json',
      ...(plan.kind === 'zipped' && { 'accept-encoding': 'gzip' }),
    },
  })
  const leave = (): void => {
    if (plan.leavesBy === 'reset') request.socket?.resetAndDestroy()
    else request.destroy()
  }
  const answered = new Promise<IncomingMessage | undefined>((resolve) => {
    request.on('response', resolve)
    request.on('error', () => resolve(undefined))
    request.on('close', () => resolve(undefined))
  })
  request.end(body)
  if (plan.client === 'leaves' && plan.leavesAfter < 90) {
    // Never before the gateway has it: a request that is thrown away with its connection has never been one.
    await Promise.race([gateway.seen(plan.id), answered])
    leave()
    await answered
    return { status: undefined, complete: false, fault: undefined }
  }
  const answer = await answered
  if (answer === undefined) return { status: undefined, complete: false, fault: 'no answer' }
  const got = await read(answer, plan, leave)
  return {
    status: answer.statusCode,
    complete: answer.complete,
    fault: plan.client === 'leaves' ? undefined : faultOf(plan, answer, got),
  }
}

async function read(answer: IncomingMessage, plan: PlannedExchange, leave: () => void): Promise<Buffer> {
  const parts: Buffer[] = []
  let length = 0
  const over = new Promise<void>((resolve) => {
    answer.on('end', resolve)
    answer.on('error', () => resolve())
    answer.on('close', resolve)
  })
  answer.on('data', (part: Buffer) => {
    parts.push(part)
    length += part.length
    if (plan.client === 'leaves' && length >= plan.leavesAfter) leave()
    if (plan.client !== 'reads slowly') return
    answer.pause()
    wait(30).then(() => answer.resume())
  })
  await over
  return Buffer.concat(parts)
}

function pathOf({ kind }: PlannedExchange): string {
  if (kind === 'passed through') return '/v1/models'
  return kind === 'upload' ? '/v1/files' : '/v1/chat/completions'
}

function bodyOf(plan: PlannedExchange): string {
  if (plan.kind === 'upload') return 'x'.repeat(1000 * plan.events)
  return JSON.stringify({
    model: 'soak',
    stream: plan.kind !== 'whole',
    messages: [{ role: 'user', content: 'x'.repeat(plan.events) }],
  })
}

/** Whole and exact, an error that says so, or a cut that can be seen. */
function faultOf(plan: PlannedExchange, answer: IncomingMessage, got: Buffer): string | undefined {
  const { statusCode, complete } = answer
  // The proxy stops.
  if (statusCode === 503 && got.includes('"draining"')) return undefined
  switch (plan.kind) {
    case 'reset before the head':
      return statusCode === 502 && complete ? undefined : `expected 502, got ${statusCode}`
    case 'limited':
      return statusCode === 429 && answer.headers['retry-after'] === '1' ? undefined : `expected 429, got ${statusCode}`
    case 'failed':
    case 'refused':
      return statusCode === (plan.kind === 'failed' ? 503 : 404) ? undefined : `unexpected status ${statusCode}`
    case 'reset':
    case 'ended in a chunk':
      return complete && statusCode === 200 ? 'a cut answer ended like a whole one' : undefined
    default:
      break
  }
  if (statusCode !== 200) return `unexpected status ${statusCode}`
  if (!complete) return 'cut'
  const whole = plan.kind === 'whole' || plan.kind === 'passed through' || plan.kind === 'upload'
  const expected = whole ? wholeBody(plan) : eventsOf(plan).join('')
  const text = plan.kind === 'zipped' ? gunzipSync(got).toString() : got.toString()
  return text === expected ? undefined : 'other bytes than the gateway wrote'
}
