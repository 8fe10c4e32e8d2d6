/** Upper or lower limit of a figure. */
export type Limit = { readonly most: number } | { readonly least: number }

/** Prints a figure beside its limit; a figure that breaks its limit makes the bench fail. */
export function report(name: string, figure: number, unit: string, limit?: Limit): void {
  const kept = !limit || ('most' in limit ? figure <= limit.most : figure >= limit.least)
  if (!kept) process.exitCode = 1
  const goal = !limit
    ? ''
    : `  ${'most' in limit ? `at most ${limit.most}` : `at least ${limit.least}`}  ${kept ? 'kept' : 'BROKEN'}`
  console.log(`${name.padEnd(56)} ${figure.toFixed(2).padStart(8)} ${unit.padEnd(8)}${goal}`.trimEnd())
}
