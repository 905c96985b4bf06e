import { PrometheusRule, ServiceMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'
import { Deployment } from 'kubernetes-models/apps/v1'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { ConfigMap, Namespace, Service, ServiceAccount } from 'kubernetes-models/v1'
import type { Manifest } from './kustomize.ts'

interface Model {
  readonly apiVersion: string
  readonly kind: string
  readonly prototype: { validate(): void }
}

const models = new Map(
  (
    [
      ConfigMap,
      Deployment,
      HorizontalPodAutoscaler,
      Namespace,
      NetworkPolicy,
      PodDisruptionBudget,
      PrometheusRule,
      Service,
      ServiceAccount,
      ServiceMonitor,
    ] as readonly Model[]
  ).map((model) => [`${model.apiVersion} ${model.kind}`, model]),
)

/**
 * What is wrong with an object by the schema of its kind: each fault of the validator, and each field that the schema does not have. The API server drops
 * such a field in silence; validators made from the schema read every field they know, so one that is never read is unknown.
 */
export function schemaFaults(object: Manifest): string[] {
  const model = models.get(`${object.apiVersion} ${object.kind}`)
  if (model === undefined) return [`no schema is known for ${object.apiVersion} ${object.kind}`]
  const unread: (() => string[])[] = []
  const faults: string[] = []
  try {
    model.prototype.validate.call(watched(object, '', unread))
  } catch (error) {
    faults.push((error as Error).message)
  }
  return [...faults, ...unread.flatMap((fields) => fields())]
}

/** The value, and a list of what was never read of it, member for member. */
function watched<T extends object>(value: T, path: string, unread: (() => string[])[]): T {
  const seen = new Set<PropertyKey>()
  const members = new Map<PropertyKey, unknown>()
  unread.push(() =>
    Object.keys(value)
      .filter((key) => !seen.has(key))
      .map((key) => `unknown field ${path}/${key}`),
  )
  return new Proxy(value, {
    get(target, key) {
      seen.add(key)
      const member: unknown = Reflect.get(target, key)
      if (typeof member !== 'object' || member === null || !Object.hasOwn(target, key)) return member
      if (!members.has(key)) members.set(key, watched(member, `${path}/${String(key)}`, unread))
      return members.get(key)
    },
  })
}
