import type { HostedChat } from '@x/interfaces'

/** Resolves after a time, or when the signal aborts. */
export const pause = async (ms: number, signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })

/** Resolves when the signal aborts. */
export const aborted = async (signal: AbortSignal): Promise<void> =>
  await new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

/** Returns the time for which a chat waits before it may run, in milliseconds since 1970; 0 for none. */
export function startTimeOf({ state, turn, at, wakesAt, retry }: HostedChat): number {
  const own = state === 'waiting-to-retry' ? retry?.at : wakesAt
  return own ?? (turn === 0 ? at : 0)
}
