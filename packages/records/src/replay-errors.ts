import type { XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'

type SpanError = NonNullable<Extract<XEvent, { type: 'chatEnd' }>['error']>

/** The error of a span, and the index of the event that tells it. */
export interface KnownError {
  readonly error: SpanError
  readonly told: number
}

/** Finds the error with which a call without an answer failed: its own, or that of the innermost span around it. */
export function errorAt(
  events: readonly XEvent[],
  { place, name }: { readonly place: string; readonly name?: string | null | undefined },
): KnownError | null {
  let [found, depth] = [null as KnownError | null, -1]
  let attempt = null as KnownError | null
  // The jobs of a search share a place, and so do their attempts.
  const isJob = jobsAt(events, place).has(name ?? null)
  for (const [told, event] of events.entries()) {
    if (!('error' in event) || !event.error || !('id' in event)) continue
    const around = placeIn(event.id)
    const known = { error: event.error, told }
    if (isJob && event.type === 'searchJobEnd') {
      if (place === around && event.job === name) return known
      continue
    }
    if (event.type === 'modelAttemptEnd') {
      if (!isJob && place === around) attempt = known
      continue
    }
    const isAround = around === '' || place === around || place.startsWith(`${around}.`)
    if (!isAround || around.length <= depth) continue
    found = known
    depth = around.length
  }
  // The error of a call that failed tells of its last attempt; one that was caught is not told by what is around.
  return attempt && !found?.error.message.includes(attempt.error.message) ? attempt : found
}

/** Places of the chats that have begun in a list of events, but for those around a place. */
export const chatsBeside = (events: readonly XEvent[], place: string): readonly string[] =>
  events.flatMap((event) => {
    const chat = event.type === 'chatStart' ? placeIn(event.id) : ''
    return chat === '' || place.startsWith(`${chat}.`) ? [] : [chat]
  })

/** Names of the jobs that the search at a place has begun in a list of events. */
export const jobsAt = (events: readonly XEvent[], place: string): ReadonlySet<string | null> =>
  new Set(
    events.flatMap((event) => (event.type === 'searchJobStart' && placeIn(event.id) === place ? [event.job] : [])),
  )

/** The place at the beginning of the id of a span: that of `1.2.chat` is `1.2`. */
function placeIn(id: string): string {
  const name = id.search(/[^\d.]/u)
  return name === -1 ? id : id.slice(0, Math.max(0, id.lastIndexOf('.', name)))
}

/** Makes an error as the recorded run had it. */
export const errorOf = ({ code, message }: SpanError): Error =>
  code === null ? new Error(message) : new XError(code as ConstructorParameters<typeof XError>[0], message)

/** Places of chats that were stopped in a run that failed. */
export const stoppedPlaces = (events: readonly XEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'chatEnd' && event.outcome === 'aborted' ? [placeIn(event.id)] : []))
