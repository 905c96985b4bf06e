import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Outcome } from '../../src/measurement/outcomes.ts'
import type { MeasurementStage } from '../../src/measurement/stream-measurement.ts'
import {
  assertFigures,
  type Figures,
  type Missing,
  type ScriptOptions,
  type Step,
  type Told,
  tell,
} from './scripted-exchange.ts'

/** A script and all that must be told of it. */
export interface FigureCase extends ScriptOptions {
  readonly name: string
  readonly script: readonly Step[]
  readonly figures: Figures
  readonly missing?: Missing
  /** Default `ok`. */
  readonly outcome?: Outcome
  readonly error?: string
  readonly flags?: readonly string[]
  readonly measurementErrors?: readonly MeasurementStage[]
  readonly check?: (told: Told) => void
}

/** Each case plays through real sockets, and its figures and reasons are these and no others. */
export function testCases(cases: readonly FigureCase[]): void {
  for (const { name, script, figures, missing = {}, outcome = 'ok', error, flags = [], check, ...rest } of cases) {
    const { measurementErrors = [], ...options } = rest
    test(name, { timeout: 10_000 }, async (t) => {
      const told = await tell(t, script, options)
      assert.equal(told.m.outcome, outcome)
      assert.equal(told.m.error, error)
      assertFigures(told, figures, missing)
      assert.deepEqual(told.flags, flags)
      assert.deepEqual(told.m.measurementErrors, measurementErrors)
      check?.(told)
    })
  }
}
