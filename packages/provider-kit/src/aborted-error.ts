/** The error that `fetch` gives when its signal fires. */
export const abortedError = (): Error => new DOMException('This operation was aborted', 'AbortError')
