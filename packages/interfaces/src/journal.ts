import type { MaybePromise } from './maybe-promise.ts'
import type { UsageSummary } from './usage.ts'
import type { CodeToVet, ToolCallToVet } from './vetting.ts'

/** What a leaf of a chat answered: a model, a tool, a human, code, a reply function. */
export interface JournalEntry {
  /** Its place in the chat, such as `1.3`: the same in every run of the same chat. */
  readonly key: string
  /** Who answered; a chat that is resumed asks the same. */
  readonly what: string
  /** The answer, as plain JSON. */
  readonly value: unknown
  /** Context variables that changed meanwhile, by agent. */
  readonly context?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined
  /** Which change of context variables this was, counted through the chat. */
  readonly at?: number | undefined
  /** What models of agents outside of it have used inside it, by agent. */
  readonly used?:
    | Readonly<Record<string, { readonly actual: UsageSummary | null; readonly total: UsageSummary | null }>>
    | undefined
}

/** Something that is not done before somebody has decided on it. */
export interface PendingApproval {
  /** Its place in the chat. */
  readonly id: string
  readonly chatId: string
  readonly agentPath: readonly string[]
  /** Name of the agent that is to do it. */
  readonly agent: string
  readonly action: ActionToApprove
}

/** What waits for a decision. */
export type ActionToApprove =
  | ({ readonly type: 'toolCall' } & Omit<ToolCallToVet, 'agent'>)
  | ({ readonly type: 'code' } & Omit<CodeToVet, 'agent'>)

/** What was decided on a pending action: do it, with other arguments if need be, or do not and tell the model why. */
export type ApprovalDecision =
  | { readonly allow: true; readonly arguments?: Readonly<Record<string, unknown>> | undefined }
  | { readonly allow: false; readonly reason?: string | undefined }

/** Keeps what the leaves of a chat answered, so that the chat can go on in another process. */
export interface Journal {
  /** How many entries it has; default 0. */
  readonly length?: number | undefined
  /** Takes the journal for one run of its chat, and gives what hands it back; a second run at once is refused. */
  enter?(): () => void
  /** What a leaf answered in an earlier run of the chat. */
  recall(key: string): JournalEntry | undefined
  /** The last place inside another that has an answer; -1 when there is none. */
  lastPlace(key: string): number
  /** Keeps an answer; the chat goes on when it is kept. */
  keep(entry: JournalEntry): MaybePromise<void>
}
