import type { Verdict } from './judge.ts'

/**
 * The outcome of a trace: it came out as recorded, differs, differs as `open.txt` says, or is listed there and need not be.
 */
export type Outcome = 'ok' | 'differs' | 'open' | 'green'

const LABELS: Readonly<Record<Outcome, string>> = { ok: 'ok  ', differs: 'FAIL', open: 'open', green: 'FAIL' }

/** Returns the outcome of one trace. */
export function outcomeOf({ name, differences }: Verdict, open: ReadonlySet<string>): Outcome {
  if (open.has(name)) return differences ? 'open' : 'green'
  return differences ? 'differs' : 'ok'
}

/** One line for a trace, followed by its differences; for an open trace only with `--verbose`. */
export function lineOf({ name, faces, differences }: Verdict, outcome: Outcome, verbose: boolean = false): string {
  const line = `${LABELS[outcome]}  ${name} (${faces.join(', ')})`
  if (outcome === 'green') return `${line}\n  is as recorded: take it off \`open.txt\``
  return differences && (verbose || outcome === 'differs') ? `${line}\n${differences}` : line
}

/** The closing line. */
export function closingLine(outcomes: readonly Outcome[]): string {
  const count = (...of: Outcome[]): number => outcomes.filter((outcome) => of.includes(outcome)).length
  const open = count('open')
  return `${count('ok')} passed, ${count('differs', 'green')} failed${open > 0 ? `, ${open} open` : ''}`
}
