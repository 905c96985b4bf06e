import type { DemoRequest } from './demo-request.ts'

/** What one of the demo's apps does now and then. */
export interface DemoApp {
  readonly name: string
  /** Mean time between two actions at its busiest, ms. */
  readonly everyMs: number
  /** Actions in the first seconds, so that there is something to see at once. */
  readonly opening: number
  /** Share of its busiest at a time of day, from 0 to 1; 0 o'clock is 0, noon 0.5. */
  activity(timeOfDay: number): number
  /** Requests of one action: those of a list are sent one after another, the lists side by side. */
  act(base: (gateway: string) => string): DemoRequest[][]
}

const rules =
  'You are the assistant of a river authority. Answer in two sentences and name the gauge you speak of. '.repeat(50)
const usage = { stream: true, stream_options: { include_usage: true } }
const chance = (percent: number): boolean => Math.random() * 100 < percent
const pick = <T>(...list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T

/** By day, with a dip at noon. */
const officeHours = (time: number): number =>
  Math.max(0.1, Math.sin(Math.PI * time) - 0.3 * Math.exp(-((time - 0.5) ** 2) / 0.002))
const nights = (time: number): number => (time < 0.25 || time > 0.85 ? 1 : 0.05)

function completion(): Partial<DemoRequest> & { body: object } {
  const body = { model: 'sim/fast', prompt: 'function gauge(', max_tokens: pick(12, 24, 40), ...usage }
  // The user types on: the editor drops what it asked for.
  return chance(25) ? { body, leaveAfterBytes: pick(0, 2000) } : { body }
}

function chatTurn(): object {
  const model = pick(
    'sim/cached',
    'sim/cached',
    'sim/frontier',
    'sim/reasoning',
    'sim/hidden-reasoning',
    'sim/fallback',
  )
  const system = { role: 'system', content: [{ type: 'text', text: rules, cache_control: { type: 'ephemeral' } }] }
  return {
    model,
    messages: [system, { role: 'user', content: pick('How high is it?', 'And tomorrow?', 'Why?') }],
    ...usage,
  }
}

const tool = {
  name: 'read_gauge',
  parameters: { type: 'object', properties: { station: { type: 'string' }, hours: { type: 'integer' } } },
}

/** A step that calls a tool, and one that answers; sometimes the agent has seen enough and leaves. */
function agentRun(base: string): DemoRequest[] {
  const asked = [{ role: 'user', content: 'Compare the gauges of two rivers.' }]
  const first = { model: 'sim/tools', input: asked, tools: [{ type: 'function', ...tool }], stream: true }
  const result = { type: 'function_call_output', call_id: 'call_1', output: '{"metres": 2.1}' }
  const steps: DemoRequest[] = [
    { base, path: '/v1/responses', body: first },
    { base, path: '/v1/responses', body: { ...first, input: [...asked, result] } },
  ]
  const slow = { model: pick('sim/slow-start', 'sim/stalls', 'sim/summarised-reasoning'), input: asked, stream: true }
  steps.push({
    base,
    path: '/v1/responses',
    body: slow,
    ...(chance(40) ? { leaveAfterMs: 300 + Math.random() * 2700 } : {}),
  })
  if (chance(8)) steps.push({ base, path: '/v1/responses', body: { ...slow, model: 'sim/hang' }, leaveAfterMs: 15_000 })
  return steps
}

function batchItem(base: string): DemoRequest {
  const messages = [{ role: 'user', content: 'Summarise this report.' }]
  const body = { model: pick('sim/loaded', 'sim/loaded', 'sim/bursty', 'sim/flaky'), messages }
  if (chance(30)) return { base, path: '/v1/messages', body: { ...body, max_tokens: 400, stream: true } }
  return { base, path: '/v1/chat/completions', body: chance(20) ? body : { ...body, ...usage } }
}

/** The apps of the demo: habits as different as a team's. */
export const demoApps: readonly DemoApp[] = [
  {
    name: 'editor',
    opening: 9,
    everyMs: 900,
    activity: officeHours,
    act: (base) => [[{ base: base('east'), path: '/v1/completions', ...completion() }]],
  },
  {
    name: 'chat',
    opening: 12,
    everyMs: 1000,
    activity: (time) => 0.3 + 0.7 * officeHours(time),
    act: (base) => [[{ base: base(chance(70) ? 'east' : 'west'), path: '/v1/chat/completions', body: chatTurn() }]],
  },
  {
    name: 'agent',
    opening: 5,
    everyMs: 3500,
    activity: (time) => 0.5 + 0.5 * officeHours(time),
    act: (base) => [agentRun(base('west'))],
  },
  {
    name: 'batch',
    opening: 3,
    everyMs: 10_000,
    activity: nights,
    act: (base) => Array.from({ length: 6 }, () => [batchItem(base('west')), batchItem(base('west'))]),
  },
]
