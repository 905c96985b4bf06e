import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Balancer, startBalancer } from './balancer.ts'
import type { ReferenceProxy } from './reference-proxies.ts'
import { type ServedProcess, serveProcess } from './served-process.ts'

/** What a client asks the gateway of these tests for: it stands in the request's body. */
export interface Wish {
  readonly id: number
  /** Before the first event; default 0. */
  readonly ttftMs?: number
  /** Where it is told when to go on: before the head, or after the first event. */
  readonly hold?: 'head' | 'middle'
  /** It closes after the first event. */
  readonly cut?: boolean
  /** More lines of the answer's head. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface Replicas {
  readonly url: string
  readonly balancer: Balancer
  readonly pair: readonly [ServedProcess, ServedProcess]
  /** Ids as the gateway was asked for them. */
  readonly asked: number[]
  /** Resolves when the gateway's connection of a held answer is closed by the proxy. */
  readonly left: Map<number, Promise<void>>
  /** Lets a held answer go on. */
  release(id: number): void
  /** Lines of both exchange logs. */
  exchanges(): Record<string, unknown>[]
}

const event = (delta: object, more: object = {}): string =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], model: 'm', ...more })}\n\n`

export const tokensOf = ({ id }: Wish): number => 3 + (id % 5)
export const firstEvent = ({ id }: Wish): string => event({ content: `${id} ` })

/** The whole body that a wish gets: nothing in it is left to chance. */
export function bodyOf(wish: Wish): string {
  const words = Array.from({ length: tokensOf(wish) - 1 }, (_, at) => event({ content: `${wish.id}.${at} ü` }))
  const usage = { prompt_tokens: 10, completion_tokens: tokensOf(wish), total_tokens: 10 + tokensOf(wish) }
  return `${firstEvent(wish)}${words.join('')}${event({}, { usage })}data: [DONE]\n\n`
}

export const requestOf = (wish: Wish): string =>
  JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'How?' }], wish })

/** Asks on a connection of its own: one that is kept may be closed by a balancer that reloads, as HTTP/1.1 has it. */
export function ask(url: string, wish: Wish): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const asking = request(`${url}/v1/chat/completions`, { method: 'POST', headers, agent: false }, (answer) => {
      let body = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        body += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body })).on('error', reject)
    })
    asking.on('error', reject).end(requestOf(wish))
  })
}

/** Two processes behind a balancer, in front of one gateway that does what it is asked for. */
export async function startReplicas(t: TestContext, name: ReferenceProxy, yaml = ''): Promise<Replicas> {
  const asked: number[] = []
  const held = new Map<number, () => void>()
  const left = new Map<number, Promise<void>>()
  async function answer(question: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const part of question) text += part
    const { wish } = JSON.parse(text) as { wish: Wish }
    asked.push(wish.id)
    left.set(wish.id, new Promise((resolve) => response.on('close', resolve)))
    const hold = (): Promise<void> => new Promise((resolve) => held.set(wish.id, resolve))
    if (wish.hold === 'head') await hold()
    response.writeHead(200, { 'content-type': 'text/event-stream', ...wish.headers })
    response.flushHeaders()
    await delay(wish.ttftMs ?? 0)
    const [first, rest] = [firstEvent(wish), bodyOf(wish).slice(firstEvent(wish).length)]
    await new Promise((resolve) => response.write(first, resolve))
    if (wish.cut === true) {
      response.destroy()
      return
    }
    if (wish.hold === 'middle') await hold()
    response.end(rest)
  }
  const gateway = createServer({ maxHeaderSize: 128 * 1024 }, (asked, response) => void answer(asked, response))
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    gateway.closeAllConnections()
    gateway.close()
  })
  const gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}/v1`
  const pair = await Promise.all([serveProcess(t, gatewayUrl, { yaml }), serveProcess(t, gatewayUrl, { yaml })])
  const balancer = await startBalancer(t, name, pair)
  return {
    url: balancer.url,
    balancer,
    pair,
    asked,
    left,
    release: (id) => held.get(id)?.(),
    exchanges: () => pair.flatMap(({ lines }) => lines().filter(({ msg }) => msg === 'exchange')),
  }
}
