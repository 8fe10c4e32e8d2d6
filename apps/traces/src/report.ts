import type { Verdict } from './judge.ts'

/** Whether a trace came out as recorded, differs, differs as `open.txt` says, or is listed there and need not be. */
export type Outcome = 'ok' | 'differs' | 'open' | 'green'

/** What is said of one trace. */
export function outcomeOf({ name, differences }: Verdict, open: ReadonlySet<string>): Outcome {
  if (open.has(name)) return differences ? 'open' : 'green'
  return differences ? 'differs' : 'ok'
}

/** One line for a trace, and below it what differs. */
export function lineOf({ name, faces, differences }: Verdict, outcome: Outcome): string {
  const line = `${outcome === 'differs' || outcome === 'green' ? 'FAIL' : outcome.padEnd(4)}  ${name} (${faces.join(', ')})`
  if (outcome === 'green') return `${line}\n  is as recorded: take it off \`open.txt\``
  return outcome === 'differs' ? `${line}\n${differences}` : line
}

/** The closing line. */
export function closingLine(outcomes: readonly Outcome[]): string {
  const count = (...of: Outcome[]): number => outcomes.filter((outcome) => of.includes(outcome)).length
  const open = count('open')
  return `${count('ok')} passed, ${count('differs', 'green')} failed${open > 0 ? `, ${open} open` : ''}`
}
