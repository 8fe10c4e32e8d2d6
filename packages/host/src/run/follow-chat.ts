import type { HostBackend, LoggedEvent } from '@x/interfaces'
import { abortable, throwIfAborted } from '@x/kernel/abort'
import { checkWhole, unknownChat } from '../chat-errors.ts'
import type { EventsOptions } from '../host-options.ts'
import { platformTicks } from '../platform.ts'

/** Interval at which a chat is polled, in case that a change was not reported. */
const POLL_INTERVAL_MS = 1000
/** Number of events that are read at once. */
const EVENTS_PER_PAGE = 100
/** Time for which a reader counts as a follower of its chat. */
const FOLLOW_S = 15
/** Interval at which a reader renews that. */
const FOLLOW_RENEWAL_MS = 5000

/**
 * Reads the events of a chat until it has ended. `onFollow` is called every few seconds while the chat runs and somebody
 * reads its events.
 */
export async function* readEvents(
  backend: HostBackend,
  id: string,
  options: EventsOptions,
  onFollow: () => void,
): AsyncGenerator<LoggedEvent> {
  const { store, events } = backend
  let after = options.after ?? null
  let followedAt = -Infinity
  const next = async (): Promise<readonly LoggedEvent[] | undefined> => {
    // The chat first, then its events: the log of a chat that has ended is complete.
    const chat = (await store.get(id)) ?? unknownChat(id)
    const { outcome } = chat
    const now = platformTicks()
    if (!outcome && now - followedAt > FOLLOW_RENEWAL_MS) {
      followedAt = now
      await events.follow(id, FOLLOW_S)
      onFollow()
    }
    const page = await events.read(id, after, EVENTS_PER_PAGE)
    if (page.length > 0) return page
    if (!outcome) {
      checkWhole(chat)
      return undefined
    }
    // A chat that was deleted meanwhile has lost its events, so an empty page is not their end.
    return (await store.get(id)) ? page : unknownChat(id)
  }
  for (;;) {
    const page = await pollUntil(backend, id, next, options.signal)
    if (page.length === 0) return
    for (const each of page) {
      after = each.cursor
      yield each
    }
  }
}

/**
 * Calls `ask` until it returns an answer: at once, after every reported change of the chat, and at an interval. Fails with
 * `aborted` when the signal aborts.
 */
export async function pollUntil<T>(
  backend: HostBackend,
  id: string,
  ask: () => Promise<T | undefined>,
  signal: AbortSignal | undefined,
): Promise<T> {
  let mayHaveChanged = true
  let wake = (): void => {}
  const onChange = (): void => {
    mayHaveChanged = true
    wake()
  }
  const unwatch = backend.watch((changed) => void ((changed === null || changed === id) && onChange()))
  const timer = setInterval(onChange, POLL_INTERVAL_MS)
  try {
    for (;;) {
      if (!mayHaveChanged) await abortable(new Promise<void>((resolve) => (wake = resolve)), signal)
      throwIfAborted(signal)
      mayHaveChanged = false
      const answer = await ask()
      if (answer !== undefined) return answer
    }
  } finally {
    clearInterval(timer)
    unwatch()
  }
}
