import type { HostBackend, LoggedEvent } from '@x/interfaces'
import { checkWhole, unknownChat } from '../chat-errors.ts'
import type { EventsOptions } from '../host-options.ts'
import { platformTicks } from '../platform.ts'
import { untilAnswer } from './until-answer.ts'

/** How many events are read at once. */
const PAGE = 100
/** Seconds for which a reader of events is noted as such, and after which it is noted again. */
const FOLLOWED = { for: 15, again: 5 }

/** Reads the events of a chat until it has ended; `onFollow` hears, from time to time, that somebody reads while it runs. */
export async function* readEvents(
  backend: HostBackend,
  id: string,
  options: EventsOptions,
  onFollow: () => void,
): AsyncGenerator<LoggedEvent> {
  const { store, events } = backend
  let after = options.after ?? null
  let followed = -Infinity
  const next = async (): Promise<readonly LoggedEvent[] | undefined> => {
    // In this order: what an ended chat has sent is there.
    const chat = (await store.get(id)) ?? unknownChat(id)
    const { outcome } = chat
    const now = platformTicks()
    if (!outcome && now - followed > FOLLOWED.again * 1000) {
      followed = now
      await events.follow(id, FOLLOWED.for)
      onFollow()
    }
    const page = await events.read(id, after, PAGE)
    if (page.length > 0) return page
    if (!outcome) {
      checkWhole(chat)
      return undefined
    }
    // One that was forgotten meanwhile has no events any more, which is not the end of them.
    return (await store.get(id)) ? page : unknownChat(id)
  }
  for (;;) {
    const page = await untilAnswer(backend, id, next, options.signal)
    if (page.length === 0) return
    for (const each of page) {
      after = each.cursor
      yield each
    }
  }
}
