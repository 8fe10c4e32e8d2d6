import type { Agent, ChatMessage, ReplyInput, ReplyOutcome, RunOptions } from '@x/interfaces'
import type { Steps } from '@x/kernel'

/** What a reply is generated from. */
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

/** A reply function that works in every face: it answers in steps. */
export interface StepsReply {
  /** Its name in the log. */
  readonly name: string
  readonly steps: (agent: Agent, input: ReplyInput) => Steps<ReplyOutcome>
  /** Tells at once that it has nothing to say, so that no steps are taken; default: it always has. */
  readonly applies?: ((input: ReplyInput, agent: Agent) => boolean) | undefined
}
