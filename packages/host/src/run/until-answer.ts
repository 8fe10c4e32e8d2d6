import type { HostBackend } from '@x/interfaces'
import { abortable, throwIfAborted } from '@x/kernel/abort'

/** Milliseconds after which who waits looks again, whether or not a change was told. */
const LOOK = 1000

/**
 * Asks until there is an answer: at once, whenever the chat may have changed, and from time to time. An abort fails with
 * `aborted`.
 */
export async function untilAnswer<T>(
  backend: HostBackend,
  id: string,
  ask: () => Promise<T | undefined>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let changed = true
  let wake = (): void => {}
  const tell = (): void => {
    changed = true
    wake()
  }
  const unwatch = backend.watch((other) => void ((other === null || other === id) && tell()))
  const timer = setInterval(tell, LOOK)
  try {
    for (;;) {
      if (!changed) await abortable(new Promise<void>((resolve) => (wake = resolve)), signal)
      throwIfAborted(signal)
      changed = false
      const answer = await ask()
      if (answer !== undefined) return answer
    }
  } finally {
    clearInterval(timer)
    unwatch()
  }
}
