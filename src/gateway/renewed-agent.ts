import type { Agent, Dispatcher } from 'undici'

/**
 * An agent that is replaced after a while, so that no connection is used for longer and a changed DNS record is seen. What runs on an old one
 * finishes there.
 *
 * undici's `clientTtl` is not used: for every request it walks over each connection that is past its time and still carries a stream, and puts
 * one more callback on it. With a thousand streams of minutes that is a million steps a request.
 */
export class RenewedAgent {
  readonly #make: () => Agent
  readonly #lifetimeMs: number
  readonly #all = new Set<Agent>()
  #current: Agent | undefined
  #madeAt = 0

  constructor(make: () => Agent, lifetimeMs: number) {
    this.#make = make
    this.#lifetimeMs = lifetimeMs
  }

  /** Agents of which something may still run. */
  get count(): number {
    return this.#all.size
  }

  /** @param now monotonic, ms */
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler, now: number): void {
    if (this.#current === undefined || now - this.#madeAt > this.#lifetimeMs) this.#renew(now)
    this.#current?.dispatch(options, handler)
  }

  /** On a connection that has served nothing before. */
  dispatchFresh(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const agent = this.#make()
    this.#all.add(agent)
    agent.dispatch(options, handler)
    this.#retire(agent)
  }

  /** Ends all connections at once; what still runs on them fails. */
  async destroy(): Promise<void> {
    await Promise.all([...this.#all].map((agent) => agent.destroy()))
  }

  #renew(now: number): void {
    const old = this.#current
    const made = this.#make()
    this.#current = made
    this.#madeAt = now
    this.#all.add(made)
    if (old !== undefined) this.#retire(old)
  }

  /** Idle connections end now, the others with what they carry. */
  #retire(agent: Agent): void {
    const forget = (): void => void this.#all.delete(agent)
    agent.close().then(forget, forget)
  }
}
