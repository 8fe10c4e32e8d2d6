#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { XError, isXError } from '@x/kernel'
import { judge } from './judge.ts'
import { readOpenTraces } from './open-traces.ts'
import { closingLine, lineOf, outcomeOf, type Outcome } from './report.ts'
import { readTraces } from './trace-files.ts'

const USAGE = `usage: pnpm traces [folder] [--only <name>] [--verbose]

  folder     a folder of traces: one inside \`data\` (agent/send), or a path; default: all of \`data\`
  --only     only the trace of this name
  --verbose  also what differs in the traces that are open`

/** Replays traces and says how they turned out; true when nothing failed. */
async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    options: { only: { type: 'string' }, verbose: { type: 'boolean' }, help: { type: 'boolean' } },
    allowPositionals: true,
  })
  if (values.help) {
    console.log(USAGE)
    return true
  }
  const [folder, ...more] = positionals
  if (more.length > 0) throw new XError('invalid-argument', `one folder at a time, not also \`${more.join(' ')}\``)
  const { only, verbose } = values
  const traces = (await readTraces(folder)).filter(({ name }) => !only || name === only || name.endsWith(`/${only}`))
  if (traces.length === 0) throw new XError('invalid-argument', `there is no trace \`${only}\`: give its name`)
  const open = await readOpenTraces()
  const outcomes: Outcome[] = []
  for (const trace of traces) {
    const verdict = await judge(trace)
    const outcome = outcomeOf(verdict, open)
    outcomes.push(outcome)
    console.log(lineOf(verdict, verbose && outcome === 'open' ? 'differs' : outcome))
  }
  console.log(closingLine(outcomes))
  return !outcomes.includes('differs') && !outcomes.includes('green')
}

try {
  if (!(await main())) process.exitCode = 1
} catch (error) {
  process.exitCode = 1
  console.error(isXError(error) || error instanceof TypeError ? `${error.message}\n\n${USAGE}` : error)
}
