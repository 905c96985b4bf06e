import type { JsonObject } from './json.ts'
import type { SimulatedUsage } from './plan.ts'

/** Usage as chat and completions have it. `output` may be what is out so far. */
export function openaiUsage(usage: SimulatedUsage, output = usage.output, reasoning = usage.reasoning): JsonObject {
  return {
    prompt_tokens: usage.input,
    completion_tokens: output,
    total_tokens: usage.input + output,
    prompt_tokens_details: {
      cached_tokens: usage.cached,
      ...(usage.cacheWrite > 0 ? { cache_write_tokens: usage.cacheWrite } : {}),
    },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

/** Whether this answer reports usage: as the script wants it, else as the request asks. */
export function reportsUsage(script: { readonly usage: boolean | undefined }, asked: boolean): boolean {
  return script.usage ?? asked
}
