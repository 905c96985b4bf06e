import { ServerResponse } from 'node:http'
import type { TestContext } from 'node:test'
import { gatewayResponses } from './held-gateway.ts'
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
  const write = ServerResponse.prototype.write as (this: ServerResponse, ...args: unknown[]) => boolean
  let stops = false
  let waiting: ServerResponse | undefined
  t.mock.method(ServerResponse.prototype, 'write', function (this: ServerResponse, ...args: unknown[]) {
    const takesMore = write.apply(this, args)
    if (!stops || gatewayResponses.has(this) || !Buffer.isBuffer(args[0])) return takesMore
    stops = false
    waiting = this
    return false
  })
  const stop = (): void => {
    stops = true
  }
  const read = (): void => void waiting?.emit('drain')
  return { stop, read, stops: { act: stop }, reads: { act: read } }
}
