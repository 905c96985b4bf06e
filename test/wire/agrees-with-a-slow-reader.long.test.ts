import { test } from 'node:test'
import { agreements } from '../helpers/agreement.ts'

for (const [name, holds] of Object.entries(agreements)) test(`many times over: ${name}`, () => holds(40))
