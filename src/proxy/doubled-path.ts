import { gatewayTarget } from '../gateway/target.ts'
import type { Recorder } from '../measurement/recorder.ts'

/** The first segment that stands twice in a row, or `undefined`. */
export function doubledSegment(path: string): string | undefined {
  const segments = path.split('/')
  return segments.find((segment, n) => segment !== '' && segment === segments[n - 1])
}

/**
 * A recorder that tells, once a gateway, of a 404 to a path like `/v1/v1/models`: the base URL of the client and that of the gateway then hold
 * the same segment, the most frequent mistake of all.
 */
export function doubledPathHint(
  gateways: readonly { readonly name: string; readonly url: string }[],
  tell: (hint: string) => void,
): Recorder {
  const targets = new Map(gateways.map(({ name, url }) => [name, gatewayTarget(url)]))
  const told = new Set<string>()
  return {
    started() {},
    firstToken() {},
    ended({ identity, status, answered }) {
      if (status !== 404 || !answered || told.has(identity.gateway)) return
      const asked = targets.get(identity.gateway)?.path(identity.path, undefined)
      const segment = asked === undefined ? undefined : doubledSegment(asked.split('?', 1)[0] as string)
      if (segment === undefined) return
      told.add(identity.gateway)
      tell(
        `gateway ${identity.gateway} answered 404 to a path with "/${segment}/${segment}": is it in the base URL of the client and in that of the gateway?`,
      )
    },
  }
}
