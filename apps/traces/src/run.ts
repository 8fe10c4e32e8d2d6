import { parseArgs } from 'node:util'
import { XError } from '@x/kernel'
import { judge } from './judge.ts'
import { readOpenTraces } from './open-traces.ts'
import { closingLine, lineOf, outcomeOf, type Outcome } from './report.ts'
import { readTraces } from './trace-files.ts'

/** The usage text of the command. */
export const USAGE: string = `usage: pnpm traces [folder] [--only <name>] [--verbose]

  folder     a folder of traces: one inside \`data\` (agent/send), or a path; default: all of \`data\`
  --only     only the trace of this name
  --verbose  also what differs in the traces that are open`

/** Replays traces, prints a line for each and a closing line; true when nothing failed. */
export async function run(
  args: readonly string[],
  { print, open }: { print: (line: string) => void; open?: ReadonlySet<string> },
): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { only: { type: 'string' }, verbose: { type: 'boolean' }, help: { type: 'boolean' } },
    allowPositionals: true,
  })
  if (values.help) {
    print(USAGE)
    return true
  }
  const { only, verbose = false } = values
  const [folder, ...more] = positionals
  if (more.length > 0) throw new XError('invalid-argument', `one folder at a time, not also \`${more.join(' ')}\``)
  const traces = (await readTraces(folder)).filter(({ name }) => !only || name === only || name.endsWith(`/${only}`))
  if (traces.length === 0) throw new XError('invalid-argument', `there is no trace \`${only}\`: give its name`)
  const listed = open ?? (await readOpenTraces())
  const outcomes: Outcome[] = []
  for (const trace of traces) {
    const verdict = await judge(trace)
    const outcome = outcomeOf(verdict, listed)
    outcomes.push(outcome)
    print(lineOf(verdict, outcome, verbose))
  }
  print(closingLine(outcomes))
  return !outcomes.includes('differs') && !outcomes.includes('green')
}
