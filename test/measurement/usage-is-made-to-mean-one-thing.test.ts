import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type InputAccounting,
  normaliseUsage,
  type ReportedUsage,
  type TokenCounts,
} from '../../src/measurement/usage.ts'

const unreported: ReportedUsage = {
  input: undefined,
  output: undefined,
  reasoning: undefined,
  cachedInput: undefined,
  cacheWriteInput: undefined,
  total: undefined,
}

type Row = readonly [string, Partial<ReportedUsage>, Partial<TokenCounts>, InputAccounting?]

const rows: readonly Row[] = [
  ['nothing reported', {}, {}],
  ['input alone', { input: 7, total: 7 }, { input: 7 }],
  ['no gap', { input: 9, output: 4, total: 13 }, { input: 9, output: 4 }],
  [
    'reasoning inside completion',
    { input: 12, output: 203, reasoning: 192, total: 215 },
    { input: 12, output: 203, reasoning: 192 },
  ],
  [
    'reasoning beside completion, in the total (xAI)',
    { input: 12, output: 1, reasoning: 290, total: 303 },
    { input: 12, output: 291, reasoning: 290 },
  ],
  [
    'reasoning in the total alone (Gemini)',
    { input: 7, output: 17, total: 230 },
    { input: 7, output: 223, reasoning: 206 },
  ],
  [
    'reasoning in neither (DeepInfra)',
    { input: 20, output: 84, reasoning: 1081, total: 104 },
    { input: 20, output: 1165, reasoning: 1081 },
  ],
  ['no total', { input: 20, output: 84, reasoning: 80 }, { input: 20, output: 84, reasoning: 80 }],
  ['no total, more reasoning than completion', { output: 4, reasoning: 9 }, { output: 13, reasoning: 9 }],
  ['a total that is too small', { input: 20, output: 8, total: 5 }, { input: 20, output: 8 }],
  [
    'cached tokens inside the prompt',
    { input: 1200, output: 4, cachedInput: 1024, total: 1204 },
    { input: 1200, output: 4, cachedInput: 1024 },
  ],
  [
    'cached and written tokens beside the prompt, in the total',
    { input: 43, output: 74, cachedInput: 2048, cacheWriteInput: 512, total: 2677 },
    { input: 2603, output: 74, cachedInput: 2048, cacheWriteInput: 512 },
  ],
  [
    'as many cached tokens as the gap, though they would fit in the prompt',
    { input: 100, output: 5, cachedInput: 40, total: 145 },
    { input: 140, output: 5, cachedInput: 40 },
  ],
  [
    'more cached tokens than prompt, without a gap',
    { input: 10, output: 5, cachedInput: 20, total: 15 },
    { input: 30, output: 5, cachedInput: 20 },
  ],
  [
    'more written tokens than prompt, without a total',
    { input: 10, output: 5, cacheWriteInput: 20 },
    { input: 30, output: 5, cacheWriteInput: 20 },
  ],
  [
    'more cached tokens than prompt, and a gap that is neither',
    { input: 10, output: 5, cachedInput: 20, total: 40 },
    { input: 30, output: 5, cachedInput: 20 },
  ],
  [
    'more cached tokens than prompt, and the gap is the reasoning that is reported (xAI)',
    { input: 12, output: 2, cachedInput: 30, reasoning: 290, total: 304 },
    { input: 42, output: 292, cachedInput: 30, reasoning: 290 },
  ],
  [
    'more cached tokens than prompt, and the gap holds the reasoning too',
    { input: 12, output: 2, cachedInput: 30, reasoning: 290, total: 334 },
    { input: 42, output: 292, cachedInput: 30, reasoning: 290 },
  ],
  [
    'cached tokens and a gap of another size: reasoning',
    { input: 100, output: 5, cachedInput: 40, total: 125 },
    { input: 100, output: 25, cachedInput: 40, reasoning: 20 },
  ],
  [
    'zeros',
    { input: 0, output: 0, reasoning: 0, cachedInput: 0, total: 0 },
    { input: 0, output: 0, reasoning: 0, cachedInput: 0 },
  ],
  [
    'Anthropic: cached and written tokens stand beside the input',
    { input: 61, output: 74, cachedInput: 2048, cacheWriteInput: 512 },
    { input: 2621, output: 74, cachedInput: 2048, cacheWriteInput: 512 },
    'beside_cache',
  ],
  ['Anthropic without a cache', { input: 12, output: 8 }, { input: 12, output: 8 }, 'beside_cache'],
  ['Anthropic without input', { output: 8, cachedInput: 5 }, { output: 8, cachedInput: 5 }, 'beside_cache'],
]

for (const [name, reported, expected, accounting] of rows) {
  test(`usage: ${name}`, () => {
    const { total, ...none } = unreported
    assert.deepEqual(normaliseUsage({ ...unreported, ...reported }, accounting ?? 'includes_cache'), {
      ...none,
      ...expected,
    })
  })
}
