import type { ActionToApprove, HumanInputMode } from './approval.ts'
import type { ModelErrorKind } from './error.ts'
import type { ChatMessage } from './message.ts'
import type { ModelEvent } from './model-event.ts'
import type { SearchEvent } from './search.ts'
import type { TerminationReason } from './termination.ts'
import type { Usage, UsageMode, UsageSummary } from './usage.ts'

/** The origin of an event: its chat and its agents. */
export interface EventOrigin {
  /** Id of the chat: `1`, and `1.4` for a chat inside it; null outside of chats. */
  readonly chatId: string | null
  /** Names of the replying agents, outermost first; the event is about the last. Null without agents. */
  readonly agentPath: readonly string[] | null
}

/** An event before the run adds its origin. `agent` names the agent that it is about; null for none. */
export type EventBody = RecordedEvent | OtherEvent | SpanEvent

/** Any event that is sent while agents work: plain JSON, with agents by name. */
export type XEvent = EventBody & EventOrigin

/** Events of the Python library, with its fields beside `agent`. */
export type RecordedEvent =
  /** A wrapper reports its usage. */
  | {
      type: 'usageSummary'
      agent: string | null
      actualUsageSummary: UsageSummary | null
      totalUsageSummary: UsageSummary | null
      mode: UsageMode
    }
  /** An agent with a model is about to report its usage. */
  | { type: 'conversableAgentUsageSummary'; agent: string; recipient: string }
  /** An agent without a model was asked for its usage. */
  | { type: 'conversableAgentUsageSummaryNoCostIncurred'; agent: string; recipient: string }
  /** A history was shortened, and one more message was kept, so that tool results stay with their calls. */
  | { type: 'clearConversableAgentHistory'; agent: string; noMessagesPreserved: number }
  /** A number of messages to keep was ignored, because one conversation was cleared. */
  | { type: 'clearConversableAgentHistoryWarning'; agent: string; recipient: string }
  /** A human was asked and gave no answer. */
  | {
      type: 'terminationAndHumanReply'
      agent: string
      noHumanInputMsg: string
      sender: string | null
      recipient: string
    }
  /** An agent that could ask a human answers itself. */
  | {
      type: 'usingAutoReply'
      agent: string
      humanInputMode: HumanInputMode
      sender: string | null
      recipient: string
    }
  /** A code block is about to run; `codeBlockCount` is its position in the message, from 0. */
  | {
      type: 'executeCodeBlock'
      agent: string
      code: string
      language: string
      codeBlockCount: number
      recipient: string
    }
  /** A function is about to be called. */
  | {
      type: 'executeFunction'
      agent: string
      funcName: string
      callId: string | null
      arguments: unknown
      recipient: string
    }
  /** A function was called; sent with `verbose`. */
  | {
      type: 'executedFunction'
      agent: string
      funcName: string
      callId: string | null
      arguments: unknown
      content: string
      recipient: string
    }
  /** A member of a group is about to speak. `round` counts the messages of the run, from 1. */
  | { type: 'groupChatRunChat'; agent: string; speaker: string; round: number; reason: SpeakerReason }
  /** A group resumes with earlier messages; `agent` is the manager. */
  | { type: 'groupChatResume'; agent: string; lastSpeaker: string; messages: readonly ChatMessage[] }
  /** The histories of one member, or with null of all members, are about to be cleared, except for the latest messages. */
  | { type: 'clearAgentsHistory'; agent: string | null; nrMessagesToPreserve: number | null }
  /** A human is about to be asked which of these agents speaks next. */
  | { type: 'selectSpeaker'; agent: null; agents: readonly string[] }
  /** The input of the human does not name any of these agents. */
  | { type: 'selectSpeakerInvalidInput'; agent: null; agents: readonly string[] }
  /** The human was asked the maximum number of times. */
  | { type: 'selectSpeakerTryCountExceeded'; agent: null; tryCount: number; agents: readonly string[] }
  /** A model has named one agent as the next speaker, or several, or none. */
  | ({ type: 'speakerAttemptSuccessful' } & SpeakerAttempt)
  | ({ type: 'speakerAttemptFailedMultipleAgents' } & SpeakerAttempt)
  | ({ type: 'speakerAttemptFailedNoAgents' } & SpeakerAttempt)

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

type OtherEvent =
  /** A group hands over from `agent` to a target: `to` is the name of the target, `target` its kind. */
  | { type: 'handoff'; agent: string; to: string; target: string; by: HandoffCause }
  /** A rule of a policy has matched content from `source` to `target`. `agent` is the source. */
  | {
      type: 'safeguard'
      agent: string
      source: string
      target: string
      action: 'block' | 'mask' | 'warning'
      check: 'regex' | 'llm'
    }
  /** An agent received a message; not sent with `silent`. `agent` is the sender. */
  | { type: 'receivedMessage'; agent: string; sender: string; recipient: string; message: ChatMessage }
  /** Running code has printed text; `block` is the index of the block in its call. */
  | { type: 'codeOutput'; agent: string | null; stream: 'stdout' | 'stderr'; text: string; block: number }
  /** A tool reports the progress of a call; `source` names the server that wrote `message`. */
  | {
      type: 'toolProgress'
      agent: string | null
      source: string
      name: string
      callId: string | null
      progress: number
      total: number | null
      message: string | null
    }
  /** A piece of a model's answer to an agent. */
  | { type: 'modelDelta'; agent: string; event: ModelEvent }
  /** A search has made progress. */
  | { type: 'searchProgress'; agent: string | null; event: SearchEvent }
  /** The history of an agent was cut to fit the model. */
  | ({ type: 'historyCut'; agent: string } & HistoryCutReport)
  /** A problem that does not stop the work; `topic` classifies it for programs. */
  | { type: 'warning'; agent: string | null; text: string; topic: string }
  /** A tool call or code waits for a decision; the chat is suspended until then. */
  | { type: 'approvalRequested'; agent: string; id: string; action: ActionToApprove }

/** The outcome of a span. */
export type SpanOutcome = 'ok' | 'error' | 'aborted' | 'suspended'

/** The start of a span. */
interface SpanStart {
  agent: string | null
  /** Id of the span in its run; it stays the same when the run is resumed. */
  id: string
  /** `id` of the enclosing span; null for the outermost. */
  parentId: string | null
  /** Time of the start, in milliseconds since 1970. */
  time: number
  /** Set if the span started in an earlier process. */
  resumed?: true
}

/** The end of a span. Every start has an end, also after errors and aborts. */
interface SpanEnd {
  agent: string | null
  id: string
  parentId: string | null
  /** Time of the end, in milliseconds since 1970. */
  time: number
  /** Duration in this process, in milliseconds. */
  ms: number
  outcome: SpanOutcome
  /** The error; null unless the outcome is `error`. */
  error: { code: string | null; message: string } | null
}

/** The start and end of spans. */
export type SpanEvent =
  | (SpanStart & { type: 'chatStart'; recipient: string })
  | (SpanEnd & { type: 'chatEnd'; recipient: string; terminationReason: TerminationReason | null })
  | (SpanStart & { type: 'replyStart'; sender: string | null })
  | (SpanEnd & { type: 'replyEnd'; sender: string | null })
  | (SpanStart & { type: 'modelCallStart' })
  | (SpanEnd & { type: 'modelCallEnd' })
  /** One config is asked; `digest` identifies the messages without showing them. */
  | (SpanStart & {
      type: 'modelAttemptStart'
      configId: number
      model: string | null
      messages: number
      digest: string
    })
  /**
   * Usage and cost are those of the answer and of requests before it that may be paid for; null if nothing was. `kind` is
   * the kind of failure.
   */
  | (SpanEnd & {
      type: 'modelAttemptEnd'
      configId: number
      model: string | null
      cached: boolean
      /** Requests that were sent; 0 if a cache or another call has answered. */
      sendings: number
      /** Milliseconds that the attempt waited for a permit of its limiter; absent if it did not wait. */
      waitedMs?: number
      kind: ModelErrorKind | null
      usage: Pick<Usage, 'promptTokens' | 'completionTokens' | 'totalTokens'> | null
      /** Cost in US dollars; null if the price is not known. */
      cost: number | null
    })
  | (SpanStart & { type: 'toolStart'; name: string; callId: string | null })
  | (SpanEnd & { type: 'toolEnd'; name: string; callId: string | null })
  | (SpanStart & { type: 'codeStart' })
  | (SpanEnd & { type: 'codeEnd' })
  | (SpanStart & { type: 'humanInputStart' })
  | (SpanEnd & { type: 'humanInputEnd' })

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
