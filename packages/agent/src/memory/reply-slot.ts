import type { Agent, ReplyFunction, ReplyFunctionRecord } from '@x/interfaces'
import type { StepsReply } from '../options/operations.ts'

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
