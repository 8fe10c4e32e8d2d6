import type { Trials } from './first-calls.ts'

/** A trial and its fault; null if it passed. */
export interface Row {
  readonly name: string
  readonly fault: string | null
}

/** Tries one after the other; a failure hides no other. */
export async function tryAll(trials: Trials, url: string): Promise<Row[]> {
  const rows: Row[] = []
  for (const [name, trial] of trials) {
    const fault = await trial(url).catch((error: unknown) => (error instanceof Error ? error.stack : String(error)))
    rows.push({ name, fault: fault ?? null })
  }
  return rows
}
