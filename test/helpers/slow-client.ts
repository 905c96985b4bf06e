import type { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { watchClientWrites } from './client-writes.ts'
import type { Deed } from './scripted-exchange.ts'

/** A client that is slow at exactly the instants that the test says, however large the buffers of sockets are. */
export interface SlowClient {
  /** The next bytes that the proxy writes to a client are as many as it takes for now. */
  stop(): void
  /** It reads on. */
  read(): void
  /** The same in a script. */
  readonly stops: Deed
  readonly reads: Deed
}

export function slowClient(t: TestContext): SlowClient {
  let stops = false
  let waiting: ServerResponse | undefined
  watchClientWrites(t, (response, _bytes, takesMore) => {
    if (!stops) return takesMore
    stops = false
    waiting = response
    return false
  })
  const stop = (): void => {
    stops = true
  }
  const read = (): void => void waiting?.emit('drain')
  return { stop, read, stops: { act: stop }, reads: { act: read } }
}
