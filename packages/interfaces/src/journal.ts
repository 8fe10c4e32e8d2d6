import type { MaybePromise } from './maybe-promise.ts'
import type { UsageSummary } from './usage.ts'

/** The kind of a journal entry, by the source of its answer. */
export type JournalKind =
  /** The answer of a model. */
  | 'model'
  /** The result of a tool or function, by its name. */
  | 'tool'
  /** Text that a human typed. */
  | 'human'
  /** The output of code. */
  | 'code'
  /** The outcome of a reply function. */
  | 'reply'
  /** The result of the hooks of one place. */
  | 'hook'
  /** The decision of a vetting function. */
  | 'vetting'
  /** The result of a function for a first message. */
  | 'message'
  /** The result of a function for a summary. */
  | 'summary'
  /** The result of a function for a carryover. */
  | 'carryover'
  /** The start of a run or a chat. */
  | 'begin'
  /** A question for a decision. */
  | 'question'
  /** The decision on the question at the same place. */
  | 'decision'
  /** A time for which the program waits, or that it has come, by the name. */
  | 'timer'
  /** The outcome of a part that another worker ran, by a name that its input makes; records alone have it. */
  | 'part'
  /** Where a process left the run, to wait for a message or because it ended. */
  | 'wait'
  /** The state of a program, its agents and its run, from which the next start of the run goes on. */
  | 'checkpoint'
  /** The next speaker of a group, if chosen at random or by a function. */
  | 'speaker'
  /** The decision of a function or a guardrail of a group. */
  | 'handoff'
  /** The answer of a search. */
  | 'search'
  /** One job of the search, or a cut of the history for the model, at the same place, by its name. */
  | 'job'

/** Changed context variables of an agent: new values, and removed names. */
export interface ContextChange {
  readonly set?: Readonly<Record<string, unknown>> | undefined
  readonly unset?: readonly string[] | undefined
}

/**
 * An answer from outside the program in a chat. Its place and kind identify an entry, for a tool or job also its name. It is
 * plain JSON for any store: the order of keys does not matter, and characters that stores refuse (U+0000, lone surrogates)
 * are escaped. `ChatJournal` adds `seq` and `checksum`.
 */
export interface JournalEntry {
  /** Index of the entry in its journal; a decision has none, because it is written from outside while the chat runs. */
  readonly seq?: number | undefined
  /** Place in the run, such as `1.3`: the same in every run of the same chat. */
  readonly place: string
  readonly kind: JournalKind
  /** Name of the tool or job. */
  readonly name?: string | undefined
  /** The answer. */
  readonly value: unknown
  /** Context variables that changed during the call, by agent. */
  readonly context?: Readonly<Record<string, ContextChange>> | undefined
  /** Number of this change of context variables in the chat. */
  readonly at?: number | undefined
  /** Usage of models inside the entry: of agents outside of it by their names, of all others under the empty name. */
  readonly used?:
    | Readonly<Record<string, { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }>>
    | undefined
  /** Set if the listener had still to take the event that tells the answer; it is then told again, marked `recalled`. */
  readonly untold?: true | undefined
  /** Places of chats and other operations that had ended since the entry before. */
  readonly ended?: readonly string[] | undefined
  /**
   * Checksum of the rest of the entry, eight hexadecimal digits, whatever the order of keys. It detects accidents, not attacks:
   * an attacker can compute it too.
   */
  readonly checksum?: string | undefined
}

/**
 * Keeps the answers of a run, so that it can resume in another process. If a method throws, the run ends, even if the program
 * catches the error.
 */
export interface Journal {
  /** True if questions for a decision wait in the journal; false if a person is asked at once; default true. */
  readonly waits?: boolean | undefined
  /** Number of entries; default 0. */
  readonly length?: number | undefined
  /** Locks the journal for one run of its chat and returns the function that unlocks it; a second concurrent run is refused. */
  enter?(): () => void
  /** The last entry of kind `checkpoint`, from which a run goes on; default: it goes on from its beginning. */
  readonly checkpoint?: JournalEntry | undefined
  /** Returns the entries at a place. */
  recall(place: string): readonly JournalEntry[]
  /** Returns the job of a name at a place, where a search may have thousands; without this method, all are looked through. */
  recallJob?(place: string, name: string): JournalEntry | undefined
  /** Returns the number of the last place inside another that has an entry; -1 for none. */
  lastPlace(place: string): number
  /** Notes that a chat or other operation at a place has ended; the next entry keeps that as `ended`. */
  end?(place: string): void
  /** True if an entry says that what stands at a place has ended; without this method, any entry behind the place does. */
  hasEnded?(place: string): boolean
  /**
   * Asked before a call is made whose answer the journal does not have; the call is made when this resolves, or fails with
   * the `failure` that it gives. The label describes the call for people.
   */
  beforeCall?(
    call: Pick<JournalEntry, 'place' | 'kind' | 'name'> & { readonly label: string },
  ): MaybePromise<void | { readonly failure: unknown }>
  /** Stores an entry; the chat continues when it is stored. Of equal entries, the first counts. */
  keep(entry: JournalEntry): MaybePromise<void>
}
