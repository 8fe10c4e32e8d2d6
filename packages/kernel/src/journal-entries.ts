import type { Journal, JournalEntry } from '@x/interfaces'

/** Begins an escape: a character that texts hardly ever hold and every store takes. */
const ESCAPE_CHARACTER = '\u001A'

/** The characters that stores refuse (U+0000 and halves of surrogate pairs), and the escape itself. */
const REFUSED_CHARACTERS = new RegExp(`[\\0${ESCAPE_CHARACTER}\\p{Cs}]`, 'gu')
const ESCAPE_SEQUENCE = new RegExp(`${ESCAPE_CHARACTER}([0-9a-f]{4})`, 'gu')

/**
 * Plain JSON with every text and key escaped, so that any store takes it: U+0000 and lone surrogates become `\u001A` and
 * four hexadecimal digits.
 */
export const escapeTexts = (value: unknown): unknown =>
  mapTexts(value, (text) =>
    // A look costs a fraction of the expression.
    text.isWellFormed() && !text.includes('\0') && !text.includes(ESCAPE_CHARACTER)
      ? text
      : text.replaceAll(
          REFUSED_CHARACTERS,
          (character) => ESCAPE_CHARACTER + character.charCodeAt(0).toString(16).padStart(4, '0'),
        ),
  )

/** The value that {@link escapeTexts} was given. */
export const unescapeTexts = (value: unknown): unknown =>
  mapTexts(value, (text) =>
    text.includes(ESCAPE_CHARACTER)
      ? text.replaceAll(ESCAPE_SEQUENCE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
      : text,
  )

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  const mapped: Record<string, unknown> = {}
  for (const key of Object.keys(value)) {
    const each = mapTexts((value as Readonly<Record<string, unknown>>)[key], change)
    const name = change(key)
    if (name === '__proto__') Object.defineProperty(mapped, name, { value: each, ...PLAIN_FIELD })
    else mapped[name] = each
  }
  return mapped
}

const PLAIN_FIELD = { configurable: true, enumerable: true, writable: true } as const

/** Returns an entry with its texts escaped, as a journal keeps it. */
export function escapedEntry(entry: JournalEntry): JournalEntry {
  const { value, context, used } = entry
  return {
    ...entry,
    value: escapeTexts(value),
    ...(context && { context: escapeTexts(context) as typeof context }),
    ...(used && { used: escapeTexts(used) as typeof used }),
  }
}

/** The place of the entry of a run itself. */
export const RUN_PLACE = '0'

/**
 * Returns the entries with which a run goes another way from a place: what stands at the place or behind it is left out, and
 * what was open there is open again; null keeps all of them. The new run has an identifier of its own. Its version is that of
 * the entries if none is given, and null leaves it out: any program may go on.
 */
export function forkedEntries(
  entries: readonly JournalEntry[],
  place: string | null,
  { runId, version }: { readonly runId: string; readonly version?: string | null | undefined },
): JournalEntry[] {
  const cut = place === null ? [Infinity] : placeNumbers(place)
  return entries.flatMap((entry) => {
    if (entry.kind === 'wait') return []
    if (entry.place === RUN_PLACE) {
      const { version: saved, ...begins } = entry.value as { readonly version?: unknown }
      const own = version === undefined ? saved : (version ?? undefined)
      return [{ ...entry, value: { ...begins, runId, ...(own !== undefined && { version: own }) } }]
    }
    const isKept = isBefore(placeNumbers(entry.place), cut) || (isHookAtOnce(entry) && isAround(entry.place, place))
    return isKept ? [withEndedBefore(entry, cut)] : []
  })
}

/** True for hooks that answered at once: they stand at the place of what comes behind them. */
const isHookAtOnce = ({ kind, value }: JournalEntry): boolean =>
  kind === 'hook' && (value as { readonly asked?: boolean } | null)?.asked !== true

const isAround = (place: string, cut: string | null): boolean => cut !== null && cut.startsWith(`${place}.`)

/** Leaves out of an entry that a chat beside it had ended, if that stands at the cut or behind it. */
function withEndedBefore(entry: JournalEntry, cut: readonly number[]): JournalEntry {
  const { ended, ...rest } = entry
  const before = ended?.filter((place) => isBefore(placeNumbers(place), cut)) ?? []
  return before.length > 0 ? { ...rest, ended: before } : rest
}

/** A place as the numbers it is made of. */
const placeNumbers = (place: string): number[] => place.split('.').map(Number)

/** True if a place comes before `cut` and is not one of the calls around it. */
function isBefore(place: readonly number[], cut: readonly number[]): boolean {
  for (const [depth, number] of place.entries()) {
    if (depth === cut.length) return false
    if (number !== cut[depth]) return number < cut[depth]!
  }
  return false
}

/** The value of an entry of kind `wait`. */
interface WaitingRun {
  /** The places that the process had come to: everything before them was told. */
  readonly places: readonly string[]
}

const NO_ENTRIES: readonly JournalEntry[] = []

/** The entries of a run in memory, by their places: a journal that is written nowhere. */
export class MemoryJournal implements Journal {
  readonly waits: boolean
  readonly #entries: JournalEntry[] = []
  readonly #byPlace = new Map<string, JournalEntry[]>()
  readonly #jobs = new Map<string, JournalEntry>()
  readonly #lastPlaces = new Map<string, number>()
  readonly #ended = new Set<string>()

  constructor(entries: Iterable<JournalEntry> = [], waits = true) {
    this.waits = waits
    for (const entry of entries) this.keep(entry)
  }

  /** The entries in the order in which they were kept. */
  get entries(): readonly JournalEntry[] {
    return this.#entries
  }

  get length(): number {
    return this.#entries.length
  }

  recall(place: string): readonly JournalEntry[] {
    return this.#byPlace.get(place) ?? NO_ENTRIES
  }

  recallJob(place: string, name: string): JournalEntry | undefined {
    return this.#jobs.get(`${place} ${name}`)
  }

  lastPlace(place: string): number {
    return this.#lastPlaces.get(place) ?? -1
  }

  end(place: string): void {
    this.#ended.add(place)
  }

  hasEnded(place: string): boolean {
    return this.#ended.has(place)
  }

  /** True if it has an entry of this place, kind and name: an answer is never replaced. */
  has({ place, kind, name }: JournalEntry): boolean {
    if (kind === 'job') return this.#jobs.has(`${place} ${name}`)
    return this.recall(place).some((each) => each.kind === kind && each.name === name)
  }

  keep(entry: JournalEntry): void {
    if (this.has(entry)) return
    const { place, kind, name } = entry
    const there = this.#byPlace.get(place)
    this.#entries.push(entry)
    if (kind === 'job') this.#jobs.set(`${place} ${name}`, entry)
    for (const ended of entry.ended ?? []) this.#ended.add(ended)
    if (there) there.push(entry)
    else this.#byPlace.set(place, [entry])
    this.#noteReached(entry)
  }

  /** Takes an entry out, and those behind it. */
  removeFrom(entry: JournalEntry): void {
    const index = this.#entries.indexOf(entry)
    if (index === -1) return
    for (const each of this.#entries.splice(index)) {
      const there = this.#byPlace.get(each.place)!
      there.splice(there.indexOf(each), 1)
      if (each.kind === 'job') this.#jobs.delete(`${each.place} ${each.name}`)
    }
    this.#lastPlaces.clear()
    for (const each of this.#entries) this.#noteReached(each)
  }

  /** Notes how far the run has come. Jobs and hooks come before the answer at their place. */
  #noteReached({ place, kind, value }: JournalEntry): void {
    if (kind === 'wait') for (const each of (value as WaitingRun).places) this.#noteLastPlaces(each)
    else if (kind !== 'job' && kind !== 'hook') this.#noteLastPlaces(place)
  }

  #noteLastPlaces(place: string): void {
    for (let end = place.length; end > 0;) {
      const dot = place.lastIndexOf('.', end - 1)
      const around = dot === -1 ? '' : place.slice(0, dot)
      this.#lastPlaces.set(around, Math.max(this.lastPlace(around), Number(place.slice(dot + 1, end))))
      end = dot
    }
  }
}
