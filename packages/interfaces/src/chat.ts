import type { Agent } from './agent.ts'
import type { Budget } from './budget.ts'
import type { CacheStore } from './cache.ts'
import type { Journal } from './journal.ts'
import type { ChatMessage, Reply } from './message.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { RunContext, RunOptions, SteeringSource } from './run.ts'

/** Text from earlier chats for the first message of a chat. */
export type Carryover = string | readonly (string | ChatMessage | Record<string, unknown>)[]

/** The first message of a chat: a message, a function that makes one, or null to ask the human. */
export type FirstMessage<M = Record<string, unknown>> =
  | Reply
  | null
  // The types of methods here, so that a function may name the classes of the agents.
  | {
      call(
        sender: Agent,
        recipient: Agent,
        args: M & { carryover?: Carryover | undefined },
        context: RunContext,
      ): MaybePromise<Reply | null>
    }['call']

/** How a chat is summarized: by its last message, by a model, or by a function. */
export type SummaryMethod =
  | 'last_msg'
  | 'reflection_with_llm'
  | {
      call(
        sender: Agent,
        recipient: Agent,
        summaryArgs: SummaryArgs,
        /** `messages` are the recipient's messages of the chat. */
        context: RunContext & { readonly messages: readonly ChatMessage[] },
      ): MaybePromise<string | Record<string, unknown>>
    }['call']

/** Arguments of a summary. */
export interface SummaryArgs {
  /** Prompt for a summary by a model. */
  summaryPrompt?: string | undefined
  /** Role of the prompt; default `system`. */
  summaryRole?: string | undefined
  /** Cache for a summary by a model. */
  cache?: CacheStore | null | undefined
  [key: string]: unknown
}

/** Options of a chat. */
export interface ChatOptions extends RunOptions {
  /** First message; default null: the human is asked. */
  message?: FirstMessage | undefined
  /** True to clear the earlier conversation on both sides; default true. */
  clearHistory?: boolean | undefined
  /**
   * Where the messages are kept: in the agents (`shared`, the default), or in the result only (`own`). A chat with its own
   * conversation begins empty, does not touch the histories of the agents and may run beside others of the same two agents.
   */
  conversation?: 'shared' | 'own' | undefined
  /** True to print nothing of the chat but warnings of money and correctness; every other listener gets its events. Default false. */
  silent?: boolean | null | undefined
  /** Cache of both sides for this chat. */
  cache?: CacheStore | null | undefined
  /** Most turns: a message and its reply; default null: no limit. */
  maxTurns?: number | null | undefined
  /**
   * Most messages of a chat without another limit; the next one throws `too-many-messages`. Default 10,000. It applies only if
   * neither `maxTurns` nor an agent's `maxConsecutiveAutoReply` is given.
   */
  maxMessages?: number | undefined
  /** How the chat is summarized; default `last_msg`. */
  summaryMethod?: SummaryMethod | null | undefined
  summaryArgs?: SummaryArgs | undefined
  /** Text to append to the first message. */
  carryover?: Carryover | undefined
  /** True to send more events; default false. */
  verbose?: boolean | undefined
  /** Further arguments of a function for the first message. */
  messageArgs?: Record<string, unknown> | undefined
  /** Limits the spending of this chat and everything inside it; when it is used up, they end with `budget`. */
  budget?: Budget | undefined
  /** Messages for the chat under way, such as a `Steering` of `@x/agent`; the next call of a model in it takes them. */
  steering?: SteeringSource | undefined
  /** Keeps the answers of models, tools, humans and code in this chat and inside it; with an earlier journal, the chat resumes. */
  journal?: Journal | undefined
  /** Globally unique id of the run, for `ToolContext.key`; only with a `journal`. Default: a random id, which the journal keeps. */
  runId?: string | undefined
  /** Version of the program, which the `journal` keeps; a chat of another version is refused. */
  version?: string | undefined
}

/** One chat of a sequence. */
export interface QueuedChat extends Omit<
  ChatOptions,
  'run' | 'signal' | 'emit' | 'events' | 'tracer' | 'journal' | 'runId' | 'version' | 'steering'
> {
  recipient: Agent
  /** The agent that starts the chat; only in the free function and in nested chats. */
  sender?: Agent | undefined
  /** Id of the chat, for `prerequisites`; `initiateChats` needs one of every chat. */
  chatId?: number | undefined
  /** Ids of the chats that must end before, whose summaries it gets; `initiateChatsSync` runs in order and gives it all earlier ones. */
  prerequisites?: readonly number[] | undefined
  /** Whether the carryover of earlier chats stays out of it. */
  finishedChatIndexesToExcludeFromCarryover?: readonly number[] | undefined
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
