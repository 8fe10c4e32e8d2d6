import type { Journal, JournalEntry } from '@x/interfaces'

/** Keeps what a task was answered while the server works on it. */
export class MemoryJournal implements Journal {
  readonly #entries: JournalEntry[] = []
  readonly #byPlace = new Map<string, JournalEntry[]>()
  readonly #lastPlaces = new Map<string, number>()

  constructor(entries: readonly JournalEntry[]) {
    for (const entry of entries) this.keep(entry)
  }

  get entries(): readonly JournalEntry[] {
    return this.#entries
  }

  get length(): number {
    return this.#entries.length
  }

  recall(place: string): readonly JournalEntry[] {
    return this.#byPlace.get(place) ?? []
  }

  lastPlace(place: string): number {
    return this.#lastPlaces.get(place) ?? -1
  }

  keep(entry: JournalEntry): void {
    const { place, kind, name } = entry
    const there = this.recall(place)
    if (there.some((each) => each.kind === kind && each.name === name)) return
    this.#entries.push(entry)
    this.#byPlace.set(place, [...there, entry])
    // These stand beside an answer.
    if (kind === 'question' || kind === 'job' || kind === 'hook') return
    for (let end = place.length; end > 0;) {
      const dot = place.lastIndexOf('.', end - 1)
      const around = dot === -1 ? '' : place.slice(0, dot)
      this.#lastPlaces.set(around, Math.max(this.lastPlace(around), Number(place.slice(dot + 1, end))))
      end = dot
    }
  }
}
