import type { Config, GatewayConfig } from '../config/schema.ts'
import { Gateway } from '../gateway/gateway.ts'
import { gapBuckets } from '../measurement/buckets.ts'
import { costOf } from '../measurement/cost.ts'
import type { Recorder } from '../measurement/recorder.ts'
import type { TurnClock } from '../stream/turn-clock.ts'
import { hostCheck, keyCheck } from './client-check.ts'
import type { GatewayRoom, ProxyContext } from './proxy-context.ts'
import { RunningExchanges } from './running-exchanges.ts'

export interface ProxySurroundings {
  readonly recorder: Recorder
  readonly turns: TurnClock
  readonly wallClock: () => number
  readonly isDraining: () => boolean
  readonly refusesRequests: () => boolean
  readonly onBroken: (error: unknown) => void
  readonly onCrash: (error: unknown) => void
}

/** From the configuration to what every exchange shares. @throws where a CA file cannot be read */
export function proxyContext(config: Config, surroundings: ProxySurroundings): ProxyContext {
  const { proxy } = config
  const bounds = config.metrics.buckets.inter_chunk_seconds ?? gapBuckets
  return {
    ...surroundings,
    gateways: new Map(
      config.gateways.map((gateway) => [gateway.name, gatewayRoom(gateway, config, surroundings.turns)]),
    ),
    gapBounds: Float64Array.from(bounds),
    maxBodyBytes: proxy.maxBodyBytes,
    maxStreams: proxy.maxStreams,
    clientStallMs: proxy.clientStall,
    hostAllowed: hostCheck(proxy.host, proxy.allowedHosts, proxy.clientKeys),
    keyAllowed: keyCheck(proxy.clientKeys),
    running: new RunningExchanges(),
  }
}

function gatewayRoom(gateway: GatewayConfig, config: Config, turns: TurnClock): GatewayRoom {
  const { timeouts } = gateway
  return {
    gateway: new Gateway(
      {
        name: gateway.name,
        url: gateway.url,
        connectTimeoutMs: timeouts.connect,
        caFile: gateway.tls.ca,
        insecure: gateway.tls.insecure,
        maxHeaderBytes: gateway.maxHeaderBytes,
      },
      turns,
    ),
    credentials: {
      set: gateway.headers,
      apiKey: gateway.apiKey,
      dummyKeys: new Set(config.proxy.dummyKeys),
      clientKeysAreOurs: config.proxy.clientKeys.length > 0,
    },
    limits: {
      connect: timeouts.connect,
      firstByte: timeouts.firstByte,
      idle: timeouts.idle,
      total: timeouts.total,
      clientStall: config.proxy.clientStall,
    },
    price(model, tokens) {
      const price = gateway.models[model]
      return price === undefined ? undefined : costOf(tokens, price)
    },
  }
}
