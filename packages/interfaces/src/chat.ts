import type { Agent } from './agent.ts'
import type { Budget } from './budget.ts'
import type { CacheStore } from './cache.ts'
import type { Journal } from './journal.ts'
import type { ChatMessage, Reply } from './message.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { RunContext, RunOptions } from './run.ts'
import type { TerminationReason } from './termination.ts'
import type { UsageSummary } from './usage.ts'

/** What text is carried into a chat from earlier ones. */
export type Carryover = string | readonly (string | ChatMessage | Record<string, unknown>)[]

/** The first message of a chat: given, computed, or asked of the human (null). */
export type FirstMessage<M = Record<string, unknown>> =
  | Reply
  | null
  | ((
      sender: Agent,
      recipient: Agent,
      args: M & { carryover?: Carryover | undefined },
      context: RunContext,
    ) => MaybePromise<Reply | null>)

/** How a chat is summed up: its last message, by a model, or by a function. */
export type SummaryMethod =
  | 'last_msg'
  | 'reflection_with_llm'
  | ((
      sender: Agent,
      recipient: Agent,
      summaryArgs: SummaryArgs,
      /** `messages` are the recipient's messages of the chat. */
      context: RunContext & { readonly messages: readonly ChatMessage[] },
    ) => MaybePromise<string | Record<string, unknown>>)

/** Arguments of a summary. */
export interface SummaryArgs {
  /** Prompt of a summary by a model. */
  summaryPrompt?: string | undefined
  /** Role of that prompt; default `system`. */
  summaryRole?: string | undefined
  /** Cache for a summary by a model. */
  cache?: CacheStore | null | undefined
  [key: string]: unknown
}

/** Options of a chat. */
export interface ChatOptions extends RunOptions {
  /** First message; default null: the human is asked. */
  message?: FirstMessage | undefined
  /** Whether both sides forget their earlier conversation; default true. */
  clearHistory?: boolean | undefined
  /**
   * Where the messages are kept: with the agents (`shared`, the default), or in the result only (`own`): such a chat begins
   * empty, leaves the histories of the agents alone and may run beside others of the same two.
   */
  conversation?: 'shared' | 'own' | undefined
  /** Whether nothing of the chat is printed; an `io` of the caller's gets no `receivedMessage`. Default false. */
  silent?: boolean | null | undefined
  /** Cache of both sides for this chat. */
  cache?: CacheStore | null | undefined
  /** Number of round trips; default null: until somebody ends the chat. */
  maxTurns?: number | null | undefined
  /**
   * Most messages of a chat that nothing else limits; one more fails with `too-many-messages`. Default 10,000. It counts
   * only where neither `maxTurns` nor an agent's `maxConsecutiveAutoReply` was given.
   */
  maxMessages?: number | undefined
  /** How the chat is summed up; default `last_msg`. */
  summaryMethod?: SummaryMethod | null | undefined
  summaryArgs?: SummaryArgs | undefined
  /** Text to append to the first message. */
  carryover?: Carryover | undefined
  /** Whether more is shown; default false. */
  verbose?: boolean | undefined
  /** Further arguments of a function for the first message. */
  messageArgs?: Record<string, unknown> | undefined
  /** What this chat and everything inside it may spend together; used up, they end with `budget`. */
  budget?: Budget | undefined
  /** Keeps what models, tools, humans and code answer in this chat and inside it; with one from before, the chat goes on. */
  journal?: Journal | undefined
  /** Names the run in the whole world, for `ToolContext.key`; with a `journal` only. Default: a random one, kept there. */
  runId?: string | undefined
  /** Version of the program, kept in the `journal`; a chat of another version is refused before anything else is compared. */
  version?: string | undefined
}

/** One chat of a sequence. */
export interface QueuedChat extends Omit<ChatOptions, 'run' | 'signal' | 'emit' | 'journal' | 'runId' | 'version'> {
  recipient: Agent
  /** Who starts it; only in the free function and in nested chats. */
  sender?: Agent | undefined
  /** Its name, for `prerequisites`. */
  chatId?: number | undefined
  /** Chats that must have ended before. */
  prerequisites?: readonly number[] | undefined
  /** Whether the carryover of earlier chats stays out of it. */
  finishedChatIndexesToExcludeFromCarryover?: readonly number[] | undefined
}

/** The result of a chat: a snapshot, whose lists are frozen. */
export interface ChatResult<S = string | Record<string, unknown>> {
  chatId: number | null
  /** The initiator's messages with the recipient. */
  chatHistory: readonly ChatMessage[]
  summary: S
  cost: {
    usageIncludingCachedInference: UsageSummary
    usageExcludingCachedInference: UsageSummary
  }
  /** What humans typed. */
  humanInput: readonly string[]
  terminationReason: TerminationReason
}

/** Limits and texts that are the same in the Python library. */
export interface Limits {
  /** Most consecutive automatic replies of an agent to one other agent. */
  readonly MAX_CONSECUTIVE_AUTO_REPLY: 100
  /** Model of an agent without one. */
  readonly DEFAULT_CONFIG: false
  readonly DEFAULT_SUMMARY_METHOD: 'last_msg'
  readonly DEFAULT_SUMMARY_PROMPT: 'Summarize the takeaway from the conversation. Do not add any introductory phrases.'
  /** Seed of the cache if neither a cache nor a seed is given. */
  readonly LEGACY_DEFAULT_CACHE_SEED: 41
}
