import type { Answer } from './answer-format.ts'
import type { JsonObject } from './json.ts'
import type { SimulatedUsage } from './plan.ts'

function responseUsage(usage: SimulatedUsage): JsonObject {
  return {
    input_tokens: usage.input,
    input_tokens_details: { cached_tokens: usage.cached },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning },
    total_tokens: usage.input + usage.output,
  }
}

/** The object that the Responses API answers with, and repeats in its events. */
export function responseObject(
  answer: Answer,
  status: string,
  usage: SimulatedUsage | undefined,
  output: readonly JsonObject[],
  extra: JsonObject,
): JsonObject {
  return {
    id: `resp_${answer.id}`,
    object: 'response',
    created_at: answer.created,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: answer.request.maxTokens ?? null,
    model: answer.servedModel,
    output: [...output],
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: null, summary: null },
    store: false,
    temperature: 1,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: 1,
    truncation: 'disabled',
    usage: usage === undefined ? null : responseUsage(usage),
    user: null,
    metadata: {},
    ...extra,
  }
}
