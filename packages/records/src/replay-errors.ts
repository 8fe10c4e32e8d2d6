import type { XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'

type SpanError = NonNullable<Extract<XEvent, { type: 'chatEnd' }>['error']>

/** The error of a span, and the index of the event that tells it. */
export interface KnownError {
  readonly error: SpanError
  readonly told: number
}

/** The errors that events tell of a place. */
interface ErrorsAt {
  /** The first one of a span. */
  span?: KnownError
  /** The same but for the jobs of a search. */
  own?: KnownError
  /** That of the last attempt at an answer. */
  attempt?: KnownError
  /** The first one of each job. */
  readonly jobs: Map<string, KnownError>
}

/** A call, as it is looked for: by its place, and the name of its tool or job. */
interface SoughtCall {
  readonly place: string
  readonly name?: string | null | undefined
}

/** Failures that the events of a run tell, by their places: there may be as many of them as calls. */
export class ToldFailures {
  readonly #errors = new Map<string, ErrorsAt>()
  /** Indexes of the events with which chats began, by the places of these, in their order. */
  readonly chats: Map<string, number> = new Map()
  /** Those with which the jobs of searches began, by the places of these and by name. */
  readonly #jobs = new Map<string, Map<string, number>>()

  constructor(events: readonly XEvent[]) {
    for (const [told, event] of events.entries()) {
      if (!('id' in event)) continue
      const place = placeIn(event.id)
      if (event.type === 'chatStart') setFirst(this.chats, place, told)
      if (event.type === 'searchJobStart') {
        const jobs = this.#jobs.get(place) ?? new Map<string, number>()
        this.#jobs.set(place, setFirst(jobs, event.job, told))
      }
      if ('error' in event && event.error) this.#addError(place, event, { error: event.error, told })
    }
  }

  #addError(place: string, event: XEvent, known: KnownError): void {
    const at: ErrorsAt = this.#errors.get(place) ?? { jobs: new Map() }
    this.#errors.set(place, at)
    if (event.type === 'modelAttemptEnd') {
      at.attempt = known
      return
    }
    at.span ??= known
    if (event.type === 'searchJobEnd') setFirst(at.jobs, event.job, known)
    else at.own ??= known
  }

  /** Finds the error with which a call without an answer failed: its own, or that of the innermost span around it. */
  errorAt({ place, name }: SoughtCall): KnownError | null {
    // The jobs of a search share a place, and so do their attempts.
    const isJob = this.#jobs.get(place)?.has(name ?? '') ?? false
    const at = this.#errors.get(place)
    const ofJob = isJob ? at?.jobs.get(name!) : undefined
    if (ofJob) return ofJob
    let found: KnownError | undefined
    for (let around = place; !found; around = around.slice(0, Math.max(0, around.lastIndexOf('.')))) {
      found = this.#errors.get(around)?.[isJob ? 'own' : 'span']
      if (around === '') break
    }
    const attempt = isJob ? undefined : at?.attempt
    // The error of a call that failed tells of its last attempt; one that was caught is not told by what is around.
    return (attempt && !found?.error.message.includes(attempt.error.message) ? attempt : found) ?? null
  }

  /** The names of the jobs that the search at a place had begun before an event. */
  *jobsBefore(told: number, place: string): Generator<string> {
    for (const [job, began] of this.#jobs.get(place) ?? []) {
      if (began >= told) return
      yield job
    }
  }
}

/** Adds a value under a key that has none. */
function setFirst<V>(map: Map<string, V>, key: string, value: V): Map<string, V> {
  return map.has(key) ? map : map.set(key, value)
}

/** The place at the beginning of the id of a span: that of `1.2.chat` is `1.2`. */
function placeIn(id: string): string {
  const name = id.search(/[^\d.]/u)
  return name === -1 ? id : id.slice(0, Math.max(0, id.lastIndexOf('.', name)))
}

/** All places around another one but the outermost, innermost first. */
export function placesAround(place: string): readonly string[] {
  const places: string[] = []
  for (let end = place.lastIndexOf('.'); end > 0; end = place.lastIndexOf('.', end - 1))
    places.push(place.slice(0, end))
  return places
}

/** Makes an error as the recorded run had it. */
export const errorOf = ({ code, message }: SpanError): Error =>
  code === null ? new Error(message) : new XError(code as ConstructorParameters<typeof XError>[0], message)

/** Places of chats that were stopped in a run that failed. */
export const stoppedPlaces = (events: readonly XEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'chatEnd' && event.outcome === 'aborted' ? [placeIn(event.id)] : []))
