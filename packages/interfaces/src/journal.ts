import type { MaybePromise } from './maybe-promise.ts'
import type { UsageSummary } from './usage.ts'

/** The kind of a journal entry: it says whose answer the entry keeps. */
export type JournalKind =
  /** The answer of a model. */
  | 'model'
  /** The result of a tool or function, by its name. */
  | 'tool'
  /** Text that a human typed. */
  | 'human'
  /** What code printed. */
  | 'code'
  /** The outcome of a reply function. */
  | 'reply'
  /** The result of the hooks of one point. */
  | 'hook'
  /** The decision of a vetting function. */
  | 'vetting'
  /** The result of a function for a first message. */
  | 'message'
  /** The result of a function for a summary. */
  | 'summary'
  /** The result of a function for a carryover. */
  | 'carryover'
  /** How a run or a chat begins. */
  | 'begin'
  /** A question for a decision. */
  | 'question'
  /** The decision on the question at the same place. */
  | 'decision'
  /** Who speaks next in a group, as chance or a function has chosen. */
  | 'speaker'
  /** What a function or a guardrail of a group has decided. */
  | 'handoff'
  /** The answer of a search. */
  | 'search'
  /** One job of the search at the same place, or a cut of the history for the model at the same place, by its name. */
  | 'job'

/** Context variables of an agent that changed: those that have a value now, and those that were taken out. */
export interface ContextChange {
  readonly set?: Readonly<Record<string, unknown>> | undefined
  readonly unset?: readonly string[] | undefined
}

/**
 * What something outside the program answered in a chat. An entry is known by its place and kind, and that of a tool or
 * job by its name as well. It is plain JSON that any store may keep: the order of keys does not count, and characters
 * that stores refuse (U+0000, lone surrogates) are escaped. `ChatJournal` adds `seq` and `checksum`.
 */
export interface JournalEntry {
  /** Number of the entry in its journal, counted from 0; a decision has none, since others write it while the chat runs. */
  readonly seq?: number | undefined
  /** Where it stands in the run, such as `1.3`: the same in every run of the same chat. */
  readonly place: string
  readonly kind: JournalKind
  /** Name of the tool or job. */
  readonly name?: string | undefined
  /** The answer. */
  readonly value: unknown
  /** Context variables that changed meanwhile, by agent. */
  readonly context?: Readonly<Record<string, ContextChange>> | undefined
  /** Which change of context variables this was, counted through the chat. */
  readonly at?: number | undefined
  /** What models of agents outside of it have used inside it, by agent. */
  readonly used?:
    | Readonly<Record<string, { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }>>
    | undefined
  /**
   * Eight hexadecimal digits over everything else in the entry, whatever the order of keys: against accidents, not against
   * attackers, who can compute it too.
   */
  readonly checksum?: string | undefined
}

/**
 * Keeps what was answered in a run, so that it can go on in another process. A method that fails ends the run, whoever
 * catches.
 */
export interface Journal {
  /** How many entries it has; default 0. */
  readonly length?: number | undefined
  /** Takes the journal for one run of its chat, and gives what hands it back; a second run at once is refused. */
  enter?(): () => void
  /** The entries that stand at a place. */
  recall(place: string): readonly JournalEntry[]
  /** The last place inside another that has an entry; -1 when there is none. */
  lastPlace(place: string): number
  /** Keeps an entry; the chat goes on when it is kept. The first of equal identity holds. */
  keep(entry: JournalEntry): MaybePromise<void>
}
