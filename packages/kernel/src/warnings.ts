/** Time in which further errors of a kind are counted. */
const WARNING_INTERVAL_MS = 10_000
/** Most kinds of errors that are counted apart. */
const MAX_KINDS = 100

/**
 * Returns a listener that reports errors as warnings of the process, behind a text that says what goes on. Errors whose texts
 * differ only in numbers and quoted names are of one kind: the first is reported at once, and those of every ten seconds after
 * it in one line with their number.
 */
export function warnThat(text: string): (error: unknown) => void {
  const counts = new Map<string, number>()
  /** Reports what was counted, and counts again if there was something. */
  const reportLater = (kind: string, message: string): void => {
    counts.set(kind, 0)
    const timer = setTimeout(() => {
      const count = counts.get(kind)!
      if (count === 0) return void counts.delete(kind)
      process.emitWarning(`${text}: ${message} (${count} more of this kind in ${WARNING_INTERVAL_MS / 1000} seconds)`)
      reportLater(kind, message)
    }, WARNING_INTERVAL_MS)
    timer.unref()
  }
  return (error) => {
    const message = error instanceof Error ? error.message || error.name : String(error)
    const own = message.replaceAll(/`[^`]*`|\d+/gu, '#')
    const kind = counts.size < MAX_KINDS || counts.has(own) ? own : 'other'
    const count = counts.get(kind)
    if (count !== undefined) return void counts.set(kind, count + 1)
    process.emitWarning(`${text}: ${message}`)
    reportLater(kind, message)
  }
}
