import type { Agent, ChatMessage, ReplyInput, ReplyOutcome, Run, RunOptions } from '@x/interfaces'
import type { Steps } from '@x/kernel'

/** The messages and the options that a reply is generated from. */
export interface ReplyRequest {
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
  /** Reply functions to leave out. */
  readonly exclude?: readonly object[] | undefined
}

/** Options of asking for a reply. */
export type GenerateReplyOptions = ReplyRequest & RunOptions

/** Options of a built-in reply function that is called by hand. */
export interface AskedReply<C = never> extends RunOptions {
  /** Default: the stored history with the sender. */
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
  readonly config?: C | null | undefined
}

/** The input of a built-in reply function, and the run it is asked in. */
export interface AskedInRun<C = unknown> {
  /** Null: the stored history with the sender. */
  readonly messages: readonly ChatMessage[] | null
  readonly sender: Agent | null
  readonly config: C | null
  readonly run: Run
}

/** A reply function that works in every face: it answers in steps. */
export interface StepsReply {
  /** Its name in the log. */
  readonly name: string
  readonly steps: (agent: Agent, input: ReplyInput & { readonly run: Run }) => Steps<ReplyOutcome>
  /** Tells at once that it has nothing to say, so that no steps are taken; default: it always has. */
  readonly applies?: ((input: ReplyInput, agent: Agent) => boolean) | undefined
}
