import type { BenchTarget } from '../config/bench-schema.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Prompt, PromptMode } from './prompt.ts'
import type { Adaptation } from './request-body.ts'

/** A model at a target: what is compared with others. */
export interface Subject {
  readonly target: BenchTarget
  readonly model: string
  readonly gateway: Gateway
  readonly adaptation: Adaptation
}

/** A subject with a prompt and how the prompt is repeated. */
export interface Cell {
  readonly subject: Subject
  readonly prompt: Prompt
  readonly mode: PromptMode
}
