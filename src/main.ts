#!/usr/bin/env node
import { processIo } from './cli/process-io.ts'
import { run } from './cli/run.ts'

const io = processIo((code) => process.exit(code))
process.exitCode = await run(process.argv.slice(2), io)
// Nothing should be left to run. If something is, it must not keep a drained process alive.
setTimeout(() => process.exit(), 2000).unref()
