import type { JournalEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { MemoryJournal, unescapeTexts } from '@x/kernel/run'
import { firstDifference, shown } from './difference.ts'
import { type Beginning, isFreshBeginning, type KeptRun } from './kept-run.ts'
import { RunTexts } from './normalize.ts'
import { platformNow } from './platform.ts'
import { placesAround } from './replay-errors.ts'

/**
 * The journal of a fork: a chat that the program begins by itself is answered from the record if it is the one that the record
 * has there. Chats that a tool holds side by side have places in the order in which they begin, which may be another now.
 */
export class ForkJournal extends MemoryJournal {
  /** True once the program has begun its run with this journal. */
  hasBegun = false
  /** The places around what is answered from the record. */
  readonly #answered: ReadonlySet<string>
  /** How chats began, by the place around them and those beside them. */
  readonly #beginnings: ReadonlyMap<string, readonly JournalEntry[]>
  readonly #isAlike: (one: unknown, other: unknown) => boolean

  constructor(entries: readonly JournalEntry[], run: KeptRun) {
    super([], run.waits)
    for (const entry of entries) super.keep(entry)
    this.#answered = new Set(entries.flatMap(({ place }) => placesAround(place)))
    this.#beginnings = Map.groupBy(run.entries.filter(isFreshBeginning), ({ place }) => around(around(place)))
    const began = platformNow()
    const span = { from: run.info.began, to: run.info.last }
    this.#isAlike = (one, other) => {
      const texts = new RunTexts(span, () => ({ from: began, to: platformNow() }))
      return firstDifference(one, other, { path: '', texts, mayDiffer: () => false }) === null
    }
  }

  enter(): () => void {
    this.hasBegun = true
    return () => {}
  }

  override keep(entry: JournalEntry): void {
    if (entry.kind === 'begin') this.#refuseOther(entry)
    super.keep(entry)
  }

  /** Refuses a chat that would be given the answers of another one. */
  #refuseOther({ place, value }: JournalEntry): void {
    const chat = around(place)
    const recorded = this.#beginnings.get(around(chat))?.find((each) => each.place === place)
    if (!recorded || !this.#answered.has(chat)) return
    const [saved, given] = [chatOf(recorded.value), chatOf(unescapeTexts(value))]
    if (this.#isAlike(saved.names, given.names) && !this.#isBeside(chat, saved, given)) return
    throw new XError(
      'invalid-state',
      `the fork cannot go on from the record: at \`${chat}\` that has ${described(saved)}, and the program begins ${described(given)}; let it begin its chats in the order of the record, or fork the run at a place before those`,
      { details: { place: chat, saved, given } },
    )
  }

  /** True if a chat is not the recorded one, but one that the record has beside it. */
  #isBeside(chat: string, saved: ChatBegun, given: ChatBegun): boolean {
    const beside = (this.#beginnings.get(around(chat)) ?? [])
      .filter(({ place }) => around(place) !== chat)
      .map(({ value }) => chatOf(value))
    const isIn = (isSame: (one: unknown, other: unknown) => boolean): boolean =>
      !isSame(saved, given) && beside.some((other) => isSame(other, given))
    return isIn(isEqual) || (!isEqual(saved, given) && isIn(this.#isAlike))
  }
}

/** The beginning of a chat, by which it is told from others. */
interface ChatBegun {
  readonly names: readonly string[]
  /** The first message; null for a group, or if a function makes it. */
  readonly message: unknown
}

const chatOf = (value: unknown): ChatBegun => {
  const { names, options } = value as Beginning
  return { names, message: (options as { readonly message?: unknown } | null)?.message ?? null }
}

const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const described = ({ names, message }: ChatBegun): string =>
  `a chat of ${names.join(' with ')}${message === null ? '' : ` that begins with ${shown(message)}`}`

/** The place around another one; empty for the outermost. */
const around = (place: string): string => place.slice(0, Math.max(0, place.lastIndexOf('.')))
