/** How a body ended, as its HTTP side saw it. */
export type EndCause =
  /** HTTP ended the answer properly. */
  | { readonly kind: 'complete' }
  /** The gateway could not be reached, cut the answer, or sent what is no HTTP. `error` is a short label. */
  | { readonly kind: 'gateway'; readonly error: string }
  | { readonly kind: 'timeout'; readonly error: string }
  | { readonly kind: 'client'; readonly error: string }
  | { readonly kind: 'shutdown' }
  /** The proxy itself refused the request. */
  | { readonly kind: 'rejected'; readonly error: string }

/** The head of a gateway's answer. Header names are lower-case. */
export interface AnswerHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * Who watches one exchange. It owns no clock: every instant is an argument, in ms.
 *
 * The tap guards every call: an observer that throws is muted for the rest of its exchange, and the bytes go on.
 */
export interface StreamObserver {
  /** The first token has not been seen yet: the tap then reads the clock once more after forwarding. */
  readonly awaitsFirstToken: boolean
  sent(at: number): void
  head(head: AnswerHead, at: number): void
  /**
   * HOT PATH: runs once per chunk.
   *
   * @param at begin of the turn in which the bytes were read
   * @param turn serial of that turn: bytes with the same serial are one chunk
   * @param uncertaintyMs how much earlier than `at` the bytes may have arrived, and later handled
   * @param forwardedAt when they had been written on; meaningful while `awaitsFirstToken`
   */
  chunk(bytes: Uint8Array, at: number, turn: number, uncertaintyMs: number, forwardedAt: number): void
  /** The gateway is not read for as long as the client does not read. */
  paused(at: number): void
  resumed(at: number): void
  /** The exchange is over. The first call counts, later ones are ignored. */
  end(cause: EndCause, at: number): void
}
