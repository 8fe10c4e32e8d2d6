import type { AnswerDetails, FinishReason } from './answer.ts'
import type { ActionToApprove, CodeBlock, HumanInputMode } from './approval.ts'
import type { ChatResult } from './chat-result.ts'
import type { Artifact } from './code-result.ts'
import type { ModelErrorKind } from './error.ts'
import type { ChatMessage, ContentPart, Reply } from './message.ts'
import type { SearchJobKind, SearchStatus, SearchUsage } from './search.ts'
import type { TerminationReason } from './termination.ts'
import type { Usage, UsageMode, UsageSummary } from './usage.ts'

/** The fields of every event. */
export interface EventEnvelope {
  /** Globally unique id of the run; null outside of runs. */
  readonly runId: string | null
  /** Number in the run, from 0. It grows with every event; a run that another process resumes continues at a higher number. */
  readonly seq: number
  /** Time in milliseconds since 1970; it never goes back within a process. */
  readonly time: number
  /** Id of the chat: `1`, and `1.4` for a chat inside it; null outside of chats. */
  readonly chatId: string | null
  /** Names of the replying agents, outermost first; the event is about the last. Null without agents. */
  readonly agentPath: readonly string[] | null
  /** `id` of the enclosing span; null for the outermost. */
  readonly parentId: string | null
  /** Set if an earlier process has sent the event, or may have: with the option `recalled`, or if its listener had not taken it. */
  readonly recalled?: true | undefined
}

/** Options for the events of a run. */
export interface EventOptions {
  /**
   * False to leave out everything that people, models, tools and code have written: texts are empty, values null and lists
   * empty, and pieces of answers are not sent. Default true.
   */
  readonly content?: boolean | undefined
  /** Changes an event before it leaves the run, for example to hide personal data; null drops it. */
  readonly redact?: ((event: XEvent) => XEvent | null) | undefined
  /** Maximum length of each text of the content in characters; longer texts are cut. Default: no limit. */
  readonly maxTextLength?: number | undefined
  /** True to send also the events that an earlier process of the run has sent, marked `recalled`. Default false. */
  readonly recalled?: boolean | undefined
}

/** The types of events that are no start or end of a span, with their fields. */
export interface EventFields {
  /** A wrapper reports its usage. */
  usageSummary: {
    agent: string | null
    actualUsageSummary: UsageSummary | null
    totalUsageSummary: UsageSummary | null
    mode: UsageMode
  }
  /** An agent with a model is about to report its usage. */
  conversableAgentUsageSummary: { agent: string; recipient: string }
  /** An agent without a model was asked for its usage. */
  conversableAgentUsageSummaryNoCostIncurred: { agent: string; recipient: string }
  /** A history was shortened, and one more message was kept, so that tool results stay with their calls. */
  clearConversableAgentHistory: { agent: string; noMessagesPreserved: number }
  /** A number of messages to keep was ignored, because one conversation was cleared. */
  clearConversableAgentHistoryWarning: { agent: string; recipient: string }
  /** A human was asked and gave no answer. */
  terminationAndHumanReply: { agent: string; noHumanInputMsg: string; sender: string | null; recipient: string }
  /** An agent that could ask a human answers itself. */
  usingAutoReply: { agent: string; humanInputMode: HumanInputMode; sender: string | null; recipient: string }
  /** A code block is about to run; `codeBlockCount` is its position in the message, from 0. */
  executeCodeBlock: { agent: string; code: string; language: string; codeBlockCount: number; recipient: string }
  /** A function is about to be called. */
  executeFunction: { agent: string; funcName: string; callId: string | null; arguments: unknown; recipient: string }
  /** A function was called; sent with `verbose`. */
  executedFunction: {
    agent: string
    funcName: string
    callId: string | null
    arguments: unknown
    content: string
    recipient: string
  }
  /** A member of a group is about to speak. `round` counts the messages of the run, from 1. */
  groupChatRunChat: { agent: string; speaker: string; round: number; reason: SpeakerReason }
  /** A group resumes with earlier messages; `agent` is the manager. */
  groupChatResume: { agent: string; lastSpeaker: string; messages: readonly ChatMessage[] }
  /** The histories of one member, or with null of all members, are about to be cleared, except for the latest messages. */
  clearAgentsHistory: { agent: string | null; nrMessagesToPreserve: number | null }
  /** A human is about to be asked which of these agents speaks next. */
  selectSpeaker: { agent: null; agents: readonly string[] }
  /** The input of the human does not name any of these agents. */
  selectSpeakerInvalidInput: { agent: null; agents: readonly string[] }
  /** The human was asked the maximum number of times. */
  selectSpeakerTryCountExceeded: { agent: null; tryCount: number; agents: readonly string[] }
  /** A model has named one agent as the next speaker. */
  speakerAttemptSuccessful: SpeakerAttempt
  /** A model has named several agents as the next speaker. */
  speakerAttemptFailedMultipleAgents: SpeakerAttempt
  /** A model has named no agent as the next speaker. */
  speakerAttemptFailedNoAgents: SpeakerAttempt
  /** An agent received a message. `agent` is the sender. */
  receivedMessage: {
    agent: string
    sender: string
    recipient: string
    message: ChatMessage
    /** Position of the message in the conversation of the recipient, from 0. */
    index: number
    /** Set if the sender is silent: a console does not print the message. */
    silent?: true | undefined
  }
  /** A model begins an answer to an agent. Pieces of an earlier answer in the same span are void. */
  answerBegin: { agent: string; responseId: string; model: string }
  /** A piece of the text of an answer; `index` is the choice, 0 for the first. */
  textDelta: { agent: string; index: number; text: string }
  /** A piece of the reasoning of an answer. */
  reasoningDelta: { agent: string; index: number; text: string }
  /** The text of a choice so far was reasoning: the model marked only the end of its reasoning. */
  textWasReasoning: { agent: string; index: number }
  /** A piece of the arguments of a tool call, as JSON text. The first piece of a call may be empty. */
  toolInputDelta: {
    agent: string
    index: number
    /** Index of the call among the calls of its choice. */
    call: number
    callId: string | null
    name: string
    text: string
  }
  /** A tool reports the progress of a call; `source` names the server that wrote `message`. */
  toolProgress: {
    agent: string | null
    source: string
    name: string
    callId: string | null
    progress: number
    total: number | null
    message: string | null
  }
  /** Running code has printed text; `block` is the index of the block in its call. */
  codeOutput: { agent: string | null; stream: 'stdout' | 'stderr'; text: string; block: number }
  /** A tool call or code waits for a decision; the chat is suspended until then. */
  approvalRequested: { agent: string; id: string; action: ActionToApprove }
  /** A group hands over from `agent` to a target: `to` is the name of the target, `target` its kind. */
  handoff: { agent: string; to: string; target: string; by: HandoffCause }
  /** A rule of a policy has matched content from `source` to `target`. `agent` is the source. */
  safeguard: {
    agent: string
    source: string
    target: string
    action: 'block' | 'mask' | 'warning'
    check: 'regex' | 'llm'
  }
  /** A message to the run under way was taken in: the next question to the model of `agent` has it. */
  steeringMessage: { agent: string; text: string }
  /** The history of an agent was cut to fit the model. */
  historyCut: { agent: string } & HistoryCutReport
  /** A tree of a search has a new node. */
  searchNode: { agent: string | null; node: string; parent: string | null; content: string; depth: number }
  /** A node of a search was graded. */
  searchGrade: { agent: string | null; node: string; grade: number | null; details: string }
  /** A node of a search will not be followed, or is finished. */
  searchFate: { agent: string | null; node: string; fate: string }
  /** The best candidate of a search has changed. */
  searchBest: { agent: string | null; node: string | null; text: string | null; grade: number | null }
  /** A hosted chat has failed in a way that passes, for the `failures`-th time in a row, and runs again after `delayMs` milliseconds. */
  waitingToRetry: { agent: null; kind: string; reason: string; failures: number; delayMs: number }
  /** A problem that does not stop the work; `topic` classifies it for programs. */
  warning: { agent: string | null; text: string; topic: string }
  /** An event of the program's own: `run.emit({ type: 'custom', name, data })`. */
  custom: { agent: string | null; name: string; data: unknown }
}

/** The kinds of spans, with the further fields of their start and end events: `chatStart`, `chatEnd`, … */
export interface SpanFields {
  /** A chat of two agents. `agent` starts it. */
  chat: {
    start: {
      agent: string
      recipient: string
      /** The first message; null if a function or a human gives it. */
      message: Reply | null
      options: ChatSettings
    }
    end: {
      agent: string
      recipient: string
      terminationReason: TerminationReason | null
      /** Null after an error. */
      summary: ChatResult['summary'] | null
      /** The value of a `run` with a `result`; else null. */
      result: unknown
      /** Further results of a group; else null. */
      group: GroupEnd | null
      /** Usage of the models of both agents; null after an error. */
      cost: ChatResult['cost'] | null
      humanInput: readonly string[]
      /** The whole history of `agent`, if the events `receivedMessage` of this chat did not tell it; else null. */
      messages: readonly ChatMessage[] | null
    }
  }
  /** A reply of an agent. */
  reply: {
    start: { agent: string; sender: string | null }
    end: { agent: string; sender: string | null; reply: Reply | null }
  }
  /** A question of an agent to its model: one attempt, or several if configs fail. */
  modelCall: {
    start: { agent: string | null }
    end: { agent: string | null } & ModelCallOutcome
  }
  /** One config of a model is asked. */
  modelAttempt: {
    start: AttemptOrigin & {
      /** Number of the messages of the request. */
      messages: number
      /** Identifies the messages without showing them. */
      digest: string
      /** True if the answer is asked for as a stream. */
      streamed: boolean
      /** Parameters of the request, in the names of the wire, without messages, tools and headers. */
      parameters: Readonly<Record<string, unknown>>
    }
    end: AttemptOrigin & {
      /** True if a cache or another call has answered. */
      cached: boolean
      /** Requests that were sent; 0 if a cache or another call has answered. */
      sendings: number
      /** Milliseconds that the attempt waited for a permit of its limiter; absent if it did not wait. */
      waitedMs?: number | undefined
      /** Kind of the failure; null without one. */
      kind: ModelErrorKind | null
      /** Id of the answer; null without an answer. */
      responseId: string | null
      /** Model that answered, as the provider names it; null without an answer. */
      responseModel: string | null
      finishReason: FinishReason | null
      /** Time of the first content, in milliseconds since 1970; null without content or without a stream. */
      firstTokenAt: number | null
      /** Usage of the answer and of requests before it that may be paid for; null if nothing was. */
      usage: EventUsage | null
      /** Cost of the same in US dollars; null if nothing was used or the price is not known. */
      cost: number | null
    }
  }
  /** A call of a tool or function, from the moment an agent is asked for it: with its check, its approval and its result. */
  tool: {
    start: {
      agent: string
      name: string
      callId: string | null
      /** The parsed arguments; null if they are no JSON object. */
      arguments: Readonly<Record<string, unknown>> | null
    }
    end: {
      agent: string
      name: string
      callId: string | null
      /** The arguments of the call; other ones than at the start if a person has changed them. */
      arguments: Readonly<Record<string, unknown>> | null
      /** Text of the result as the model reads it, also of an error; null without a result. */
      result: string | null
      /** The content that the model reads in place of the text, if the result has more than text; else null. */
      parts: readonly ContentPart[] | null
      /** The decision on the call, and who decided; null if nobody was asked. */
      approval: ToolApproval | null
    }
  }
  /** A run of code. */
  code: {
    start: { agent: string | null; blocks: readonly CodeBlock[] }
    end: {
      agent: string | null
      /** Exit code of the last block that ran; null without a result. */
      exitCode: number | null
      output: string
      artifacts: readonly Artifact[]
    }
  }
  /** A question to a human. */
  humanInput: {
    start: { agent: string; prompt: string }
    end: { agent: string; answer: string | null }
  }
  /** A search of a tree of thoughts. */
  search: {
    start: { agent: string | null; question: string }
    end: {
      agent: string | null
      status: SearchStatus | null
      answer: string | null
      used: SearchUsage | null
      /** The chance that the answer is right, if the method knows it. */
      confidence?: number | undefined
    }
  }
  /** A question of a search to a model: for further steps, a grade or an answer. */
  searchJob: {
    start: { agent: string | null; job: string; kind: SearchJobKind }
    end: {
      agent: string | null
      job: string
      kind: SearchJobKind
      /** The nodes that the job is about. */
      nodes: readonly string[]
      used: SearchUsage | null
      failure: string | null
      /** True if the outcome comes from the journal of an earlier search. */
      replayed: boolean
    }
  }
}

/** The outcome of a span. */
export type SpanOutcome = 'ok' | 'error' | 'aborted' | 'suspended'

/** Fields of the start of every span. */
interface SpanStart {
  /** Id of the span in its run; it stays the same when the run is resumed. */
  readonly id: string
  readonly parentId: string | null
  /** Set if an earlier process has started the span. */
  readonly resumed?: true | undefined
}

/** Fields of the end of every span. Every start has one end in each process, also after errors and aborts. */
interface SpanEnd {
  readonly id: string
  readonly parentId: string | null
  /** Duration in this process, in milliseconds. */
  readonly ms: number
  /** How the span ended in this process. */
  readonly outcome: SpanOutcome
  /** The error; null unless the outcome is `error`. */
  readonly error: { readonly code: string | null; readonly message: string } | null
}

/** The fields of an event in one object type, as editors show it. */
type Flat<T> = { [K in keyof T]: T[K] }

/** The starts and ends of spans. */
export type SpanEvent = {
  [K in keyof SpanFields]:
    | Flat<{ type: `${K}Start` } & SpanStart & SpanFields[K]['start']>
    | Flat<{ type: `${K}End` } & SpanEnd & SpanFields[K]['end']>
}[keyof SpanFields]

/** An event before its run adds the envelope. */
export type EventBody =
  | { [K in keyof EventFields]: Flat<{ type: K } & EventFields[K]> }[Exclude<keyof EventFields, 'custom'>]
  | { type: 'custom'; agent?: string | null; name: string; data: unknown }
  | SpanEvent

/** Any event that is sent while agents work: plain JSON, with agents by name. */
export type XEvent = ({ [K in keyof EventFields]: Flat<{ type: K } & EventFields[K]> }[keyof EventFields] | SpanEvent) &
  EventEnvelope

/** An attempt of a model to name the next speaker of a group. */
interface SpeakerAttempt {
  agent: null
  /** How often the answer names each agent. */
  mentions: Readonly<Record<string, number>>
  /** Number of the attempt, from 1. */
  attempt: number
  attemptsLeft: number
}

/** Why an agent speaks next in a group. */
export type SpeakerReason =
  /** A function has chosen the agent. */
  | 'function'
  /** The agent executes the calls of the last message. */
  | 'executor'
  /** No other agent may speak. */
  | 'only-one'
  | 'round_robin'
  | 'random'
  | 'manual'
  /** A model has chosen the agent. */
  | 'auto'
  /** Neither the human nor the model has chosen, and the agent is the next in order. */
  | 'next-in-order'
  /** A reply was interrupted, and the agent answers for the administrator. */
  | 'admin'
  /** The agent begins the run of a pattern. */
  | 'initial'
  /** A handoff went to the agent, or the agent stays the speaker. */
  | 'handoff'
  /** The calls of the agent were answered, or the user has answered it. */
  | 'answered'

/** The cause of a handoff. */
export type HandoffCause =
  /** A condition of the agent's handoffs, before its model was asked. */
  | 'test'
  /** The agent's model called the tool of a handoff. */
  | 'tool'
  /** The result of a tool. */
  | 'result'
  | 'guardrail'
  /** An after-work of the agent or of its pattern. */
  | 'afterWork'
  /** The after-work of the group. */
  | 'groupAfterWork'

/** Options of a chat that are plain data. */
interface ChatSettings {
  readonly maxTurns: number | null
  readonly clearHistory: boolean
  readonly conversation: 'shared' | 'own'
  readonly silent: boolean
  /** `function` for a function of the program; null without a summary. */
  readonly summaryMethod: 'last_msg' | 'reflection_with_llm' | 'function' | null
}

/** Results of a group beside those of its chat: the messages, and with a pattern all of them. */
interface GroupEnd {
  readonly contextVariables?: Readonly<Record<string, unknown>>
  readonly lastSpeaker?: string
  /** Messages of the group, to go on with. */
  readonly messages: readonly ChatMessage[]
  readonly terminationDetail?: string | null
}

/** Tokens of a call or attempt. Totals include their parts, which are absent if the provider does not report them. */
export type EventUsage = Pick<
  Usage,
  'promptTokens' | 'completionTokens' | 'totalTokens' | 'cachedTokens' | 'reasoningTokens'
> & {
  /** Input tokens that the provider wrote to its cache. */
  cacheWriteTokens?: number | undefined
}

/** The answer of a call; null in every field without an answer. */
interface ModelCallOutcome {
  /** The answer as the agent reads it: its text, or the message if it has calls. */
  message: Reply | null
  /** Reasoning, citations, sources and media of the answer. */
  details: AnswerDetails | null
  /** Model that answered, as the provider names it. */
  model: string | null
  /** Index of the config that answered. */
  configId: number | null
  finishReason: FinishReason | null
  /** True if a cache or another call has answered. */
  cached: boolean
  /** Usage of the answer alone. */
  usage: EventUsage | null
  /** Cost of the answer in US dollars; null if the price is not known. */
  cost: number | null
}

/** The config and the endpoint of an attempt. */
interface AttemptOrigin {
  agent: string | null
  /** Index of the config. */
  configId: number
  /** Name of the package of the provider; null for a client of the program's own. */
  provider: string | null
  /** Host of the endpoint, such as `api.openai.com`; null if it is not known. */
  endpoint: string | null
  /** Model that is asked; null if the config names none. */
  model: string | null
}

/** A decision on a tool call. */
interface ToolApproval {
  readonly allow: boolean
  /** Reason of a denial. */
  readonly reason: string | null
  /** `vetting` for the function of the agent, `human` for the person behind the agent, else `by` of the decision. */
  readonly by: string | null
}

/** The numbers of one cut of a history. */
export interface HistoryCutReport {
  /** Why the history was cut: too many tokens or messages, or a refusal of the provider. */
  readonly reason: 'tokens' | 'messages' | 'overflow'
  /** Estimated tokens of the request before the cut. */
  readonly tokensBefore: number
  /** Estimated tokens of the request after the cut. */
  readonly tokensAfter: number
  /** Messages that are no longer sent. */
  readonly leftOut: number
  /** Messages among those that a summary replaces. */
  readonly summarized: number
  /** Messages whose tool results, calls or attachments were cleared. */
  readonly cleared: number
  /** Oversized messages whose middle was left out. */
  readonly shortened: number
}
