import type { Agent, ChatMessage, RunOptions } from '@x/interfaces'
import type { BuiltInName } from '../reply/built-in.ts'
import type { ReplyRequest } from '../reply/reply-request.ts'

/** Options of a built-in reply function that is called by hand. */
export interface AskedReply<C = never> extends RunOptions {
  /** Default: the stored history with the sender. */
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
  readonly config?: C | null | undefined
}

/** Options of asking for a reply. */
export type GenerateReplyOptions = ReplyRequest & RunOptions

/** A built-in reply function has both operations; one without them is an error of this type. */
export type BuiltInOperation<Operations> = {
  [N in BuiltInName]: N extends keyof Operations
    ? `${N}Sync` extends keyof Operations
      ? N
      : { readonly 'a built-in reply function needs a blocking operation of its name': `${N}Sync` }
    : { readonly 'a built-in reply function needs an operation of its name': N }
}[BuiltInName]
