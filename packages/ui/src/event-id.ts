import type { XEvent } from '@x/interfaces'

/** Names an event among those of all runs, in signs that a header may have. */
export const eventIdOf = ({ runId, seq }: XEvent): string =>
  runId === null ? String(seq) : `${encodeURIComponent(runId.toWellFormed())}/${seq}`
