import type {
  Agent,
  ChatMessage,
  MaybePromise,
  QueuedChat,
  Reply,
  ReplyInput,
  ReplyOutcome,
  RunContext,
  SummaryArgs,
} from '@x/interfaces'

/** The way in which the outer chat is told to the first chat of a nested queue. */
export interface NestedCarryover {
  /** All its messages, the last one, a summary by a model, or what a function makes of them. */
  readonly summaryMethod:
    | 'all'
    | 'last_msg'
    | 'reflection_with_llm'
    | ((
        agent: Agent,
        messages: readonly ChatMessage[],
        args: SummaryArgs,
        context: RunContext,
      ) => MaybePromise<string | ChatMessage[]>)
  readonly summaryArgs?: SummaryArgs | null | undefined
}

/** The input of the functions of nested chats, beside the agent they answer for. */
export interface NestedInput extends ReplyInput {
  readonly recipient: Agent
}

/** A chat of a nested queue; a function computes its message from the outer chat. */
export type NestedChat = Omit<QueuedChat, 'message'> & {
  message?: Reply | null | ((recipient: Agent, input: ReplyInput) => MaybePromise<Reply | null>) | undefined
  /** What the chat is told of the outer one; only for the first chat of a queue. */
  carryoverConfig?: NestedCarryover | undefined
}

/** Answers for an agent by a queue of chats. */
export type NestedReply = (chatQueue: readonly NestedChat[], input: NestedInput) => MaybePromise<ReplyOutcome>

/** Options of registering nested chats. */
export interface RegisterNestedChatsOptions {
  /** What answers; default: the summary of the last chat. */
  readonly replyFuncFromNestedChats?: 'summary_from_nested_chats' | NestedReply | undefined
  /** Place in the list of reply functions; default 2, behind the termination check. */
  readonly position?: number | undefined
  /** Whether the chats run by their prerequisites, in the async faces only; each then needs a `chatId`. */
  readonly useAsync?: boolean | null | undefined
  readonly config?: unknown
  readonly resetConfig?: ((config: never) => void) | null | undefined
  /** Skips an async function in blocking chats instead of refusing the chat. */
  readonly ignoreAsyncInSyncChat?: boolean | undefined
}
