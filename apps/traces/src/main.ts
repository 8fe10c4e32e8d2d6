#!/usr/bin/env node
import { isXError } from '@x/kernel'
import { run, USAGE } from './run.ts'

try {
  if (!(await run(process.argv.slice(2), { print: console.log }))) process.exitCode = 1
} catch (error) {
  process.exitCode = 1
  // A misspelt option is a TypeError of `parseArgs`.
  console.error(isXError(error) || error instanceof TypeError ? `${error.message}\n\n${USAGE}` : error)
}
