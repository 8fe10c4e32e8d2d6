import type { Agent, ReplyFunction, ReplyFunctionRecord, ReplyInput, ReplyOutcome } from '@x/interfaces'
import type { Steps } from '@x/kernel'

/** A reply function that works in every face: it answers in steps. */
export interface StepsReply {
  /** Its name in the log. */
  readonly name: string
  readonly steps: (agent: Agent, input: ReplyInput) => Steps<ReplyOutcome>
  /** Tells at once that it has nothing to say, so that no steps are taken; default: it always has. */
  readonly applies?: ((input: ReplyInput, agent: Agent) => boolean) | undefined
}

/** A reply function: a plain one, or one in steps. */
export type AnyReply = ReplyFunction<never, never> | StepsReply

/** An entry of the list of reply functions as it is kept: never changed, so that agents share the lists they are born with. */
export interface ReplyEntry extends ReplyFunctionRecord {
  readonly replyFunc: AnyReply
  readonly async: boolean
  /** Whether its trigger matches a sender. */
  readonly matches: (sender: Agent | null) => boolean
}

/** A literal position of the list: an entry, or the second position of a built-in that has two in the Python library. */
export type ReplySlot = ReplyEntry | null
