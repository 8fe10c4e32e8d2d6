import type { MaybePromise } from './maybe-promise.ts'
import type { ChatMessage, Reply } from './message.ts'
import type { RunContext, RunOptions } from './run.ts'

/** Options of sending or receiving one message. */
export interface SendOptions extends RunOptions {
  /** True if the recipient is to reply; null lets it decide. */
  readonly requestReply?: boolean | null | undefined
  /** True to hide the message from the `io`. */
  readonly silent?: boolean | null | undefined
}

/** Anything that can take part in a chat, as others see it. */
export interface Agent {
  readonly name: string
  readonly description: string
  readonly systemMessage: string
}

/** The input of a reply function. */
export interface ReplyInput<C = unknown> extends RunContext {
  readonly messages: readonly ChatMessage[]
  readonly sender: Agent | null
  readonly config: C
}

/** The outcome of a reply function: whether it is final, and the reply or null. */
export type ReplyOutcome = readonly [final: boolean, reply: Reply | null]

/** Answers messages for an agent, or passes them on. */
export type ReplyFunction<A extends Agent = Agent, C = unknown> = (
  agent: A,
  input: ReplyInput<C>,
) => MaybePromise<ReplyOutcome>

/** The senders that a reply function answers: an agent, a name, a class, a test, null for none, or any of a list. */
export type Trigger =
  | string
  | Agent
  | (abstract new (...args: never) => Agent)
  | ((sender: Agent | null) => boolean)
  | null
  | readonly Trigger[]

/** Options of registering a reply function. */
export interface RegisterReplyOptions<C = unknown> {
  /** Position in the list as the Python library counts it, or beside another function; default 0. */
  position?: number | { before: object } | { after: object } | undefined
  /** Config that the function receives with every call; a copy is kept. */
  config?: C | undefined
  /** Restores the config when the agent is reset. */
  resetConfig?: ((config: C) => void) | null | undefined
  /** Skips an async function in blocking chats instead of refusing the chat. */
  ignoreAsyncInSyncChat?: boolean | undefined
  /** Removes all other reply functions. */
  removeOtherReplyFuncs?: boolean | undefined
  /** Marks a function as async that is not declared `async`. */
  async?: boolean | undefined
}

/** An entry of the list of reply functions. */
export interface ReplyFunctionRecord {
  readonly trigger: Trigger
  readonly replyFunc: object
  /** The copy that the function receives. */
  readonly config: unknown
  /** The config that was registered. */
  readonly initConfig: unknown
  readonly resetConfig: ((config: never) => void) | null
  readonly ignoreAsyncInSyncChat: boolean
}

/** The four places where hooks run. */
export interface Hooks {
  /** Changes the content of the last message before a reply is made. */
  processLastReceivedMessage: (
    content: string | NonNullable<ChatMessage['content']>,
    context: RunContext,
  ) => MaybePromise<string | ChatMessage['content']>
  /** Changes the messages before a reply is made. */
  processAllMessagesBeforeReply: (messages: ChatMessage[], context: RunContext) => MaybePromise<ChatMessage[]>
  /** Changes a message before it is sent. */
  processMessageBeforeSend: (
    input: {
      sender: Agent
      message: Reply
      recipient: Agent
      silent: boolean
    } & RunContext,
  ) => MaybePromise<Reply>
  /** Changes the agent before a reply is made. */
  updateAgentState: (agent: never, messages: readonly ChatMessage[], context: RunContext) => MaybePromise<void>
}

/** Name of a place where hooks run. */
export type HookName = keyof Hooks

/** The decision on an action: it happens, a human decides, or it is denied and the model reads why. */
export type Verdict = 'allow' | 'ask' | { readonly deny: string }

/** Decides on an action before it happens; an error, or anything else, denies. */
export type Vet<T> = (what: T, context: RunContext) => MaybePromise<Verdict>
