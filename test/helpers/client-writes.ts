import { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { gatewayResponses } from './held-gateway.ts'

/**
 * Watches what the proxy writes to its clients, whichever way it takes to the connection. `watch` is told of each piece after it was written and says
 * what the write returns.
 */
export function watchClientWrites(
  t: TestContext,
  watch: (response: ServerResponse, bytes: Buffer, takesMore: boolean) => boolean,
): void {
  const write = Socket.prototype.write as (this: Socket, ...args: unknown[]) => boolean
  t.mock.method(Socket.prototype, 'write', function (this: Socket, ...args: unknown[]) {
    const takesMore = write.apply(this, args)
    const response = (this as { _httpMessage?: unknown })._httpMessage
    const [bytes] = args
    // Line ends of HTTP's own chunks are written alone.
    if (!(response instanceof ServerResponse) || !Buffer.isBuffer(bytes) || bytes.length <= 2) return takesMore
    return gatewayResponses.has(response) ? takesMore : watch(response, bytes, takesMore)
  })
}
