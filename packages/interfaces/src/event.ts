import type { ActionToApprove, HumanInputMode } from './approval.ts'
import type { ModelErrorKind } from './error.ts'
import type { ChatMessage } from './message.ts'
import type { ModelEvent } from './model-event.ts'
import type { SearchEvent } from './search.ts'
import type { TerminationReason } from './termination.ts'
import type { Usage, UsageMode, UsageSummary } from './usage.ts'

/** Where in a run an event was sent. */
export interface EventOrigin {
  /** Identifier of the chat: `1`, and `1.4` for one inside it; null outside of chats. */
  readonly chatId: string | null
  /** Names of the agents in whose reply it happened, outermost first; the last is the one that it is about. Null without any. */
  readonly agentPath: readonly string[] | null
}

/** An event before it has its origin, which the run adds. `agent` names who it is about; null where it is about none. */
export type EventBody = RecordedEvent | OtherEvent | SpanEvent

/** Everything that is sent while agents work: plain JSON; agents appear by name. */
export type XEvent = EventBody & EventOrigin

/** Events that the Python library sends too; they keep its fields beside `agent`. */
export type RecordedEvent =
  /** A wrapper shows what it used. */
  | {
      type: 'usageSummary'
      agent: string | null
      actualUsageSummary: UsageSummary | null
      totalUsageSummary: UsageSummary | null
      mode: UsageMode
    }
  /** An agent with a model is about to show what it used. */
  | { type: 'conversableAgentUsageSummary'; agent: string; recipient: string }
  /** An agent without a model was asked what it used. */
  | { type: 'conversableAgentUsageSummaryNoCostIncurred'; agent: string; recipient: string }
  /** A history was shortened and one message more was kept, so that tool results stay with their calls. */
  | { type: 'clearConversableAgentHistory'; agent: string; noMessagesPreserved: number }
  /** A number of messages to keep was ignored, because one conversation was cleared. */
  | { type: 'clearConversableAgentHistoryWarning'; agent: string; recipient: string }
  /** A human was asked and answered nothing. */
  | {
      type: 'terminationAndHumanReply'
      agent: string
      noHumanInputMsg: string
      sender: string | null
      recipient: string
    }
  /** An agent that could ask a human answers by itself. */
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
  /** A function was called; sent when asked to be verbose. */
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
  /** A group goes on with messages from before; `agent` is the manager. */
  | { type: 'groupChatResume'; agent: string; lastSpeaker: string; messages: readonly ChatMessage[] }
  /** Histories are about to be cleared: of one member, or with null of all of them, but for so many messages. */
  | { type: 'clearAgentsHistory'; agent: string | null; nrMessagesToPreserve: number | null }
  /** A person is about to be asked which of these agents speaks next. */
  | { type: 'selectSpeaker'; agent: null; agents: readonly string[] }
  /** What the person typed names none of these agents. */
  | { type: 'selectSpeakerInvalidInput'; agent: null; agents: readonly string[] }
  /** The person was asked often enough. */
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
  /** A function has chosen it. */
  | 'function'
  /** It executes the calls of the last message. */
  | 'executor'
  /** Nobody else may speak. */
  | 'only-one'
  | 'round_robin'
  | 'random'
  | 'manual'
  /** A model has chosen it. */
  | 'auto'
  /** Person or model have chosen nobody, and it is the next in order. */
  | 'next-in-order'
  /** A reply was interrupted, and it answers for the administrator. */
  | 'admin'
  /** It begins the run of a pattern. */
  | 'initial'
  /** The floor was handed over to it, or stays with it. */
  | 'handoff'
  /** Its calls were answered, or the user has answered it. */
  | 'answered'

/** What has made a group hand over. */
export type HandoffCause =
  /** A test of the agent's handoffs, before its model was asked. */
  | 'test'
  /** The agent's model, by the tool of a handoff. */
  | 'tool'
  /** The result of a tool. */
  | 'result'
  | 'guardrail'
  /** An after-work of the agent, or of its pattern. */
  | 'afterWork'
  /** The after-work of the group. */
  | 'groupAfterWork'

type OtherEvent =
  /** In a group the floor goes from an agent to a target: `to` is its name, `target` its kind. `agent` is who had the floor. */
  | { type: 'handoff'; agent: string; to: string; target: string; by: HandoffCause }
  /** A rule of a policy has found something on its way from `source` to `target`. `agent` is the source. */
  | {
      type: 'safeguard'
      agent: string
      source: string
      target: string
      action: 'block' | 'mask' | 'warning'
      check: 'regex' | 'llm'
    }
  /** An agent received a message; `silent` silences it. `agent` is the sender. */
  | { type: 'receivedMessage'; agent: string; sender: string; recipient: string; message: ChatMessage }
  /** Code that runs has printed something; `block` is the position of the block in its call, from 0. */
  | { type: 'codeOutput'; agent: string | null; stream: 'stdout' | 'stderr'; text: string; block: number }
  /** A tool says how far a call has come; `source` names the server it comes from, whose text `message` is. */
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
  /** A search has gone a step further. */
  | { type: 'searchProgress'; agent: string | null; event: SearchEvent }
  /** The history of an agent was cut, so that it fits the model: what was left out, tokens before and after, and why. */
  | ({ type: 'historyCut'; agent: string } & HistoryCutReport)
  /** Something is not as it should be and work goes on; `topic` says what it is about, for programs. */
  | { type: 'warning'; agent: string | null; text: string; topic: string }
  /** A tool call or code waits for a decision, and the chat is suspended until there is one. */
  | { type: 'approvalRequested'; agent: string; id: string; action: ActionToApprove }

/** How something that took time ended. */
export type SpanOutcome = 'ok' | 'error' | 'aborted' | 'suspended'

/** The beginning of something that takes time. */
interface SpanStart {
  agent: string | null
  /** Names it in its run: the same when the run is resumed. */
  id: string
  /** The `id` of what it is part of; null for the outermost. */
  parentId: string | null
  /** When it began, in milliseconds since 1970. */
  time: number
  /** Whether it had begun in an earlier process, which this one resumes. */
  resumed?: true
}

/** The end of something that took time. Every start has one, on errors and aborts too. */
interface SpanEnd {
  agent: string | null
  id: string
  parentId: string | null
  /** When it ended, in milliseconds since 1970. */
  time: number
  /** How long it took in this process, in milliseconds. */
  ms: number
  outcome: SpanOutcome
  /** What went wrong; null unless the outcome is `error`. */
  error: { code: string | null; message: string } | null
}

/** The start and end of what takes time. */
export type SpanEvent =
  | (SpanStart & { type: 'chatStart'; recipient: string })
  | (SpanEnd & { type: 'chatEnd'; recipient: string; terminationReason: TerminationReason | null })
  | (SpanStart & { type: 'replyStart'; sender: string | null })
  | (SpanEnd & { type: 'replyEnd'; sender: string | null })
  | (SpanStart & { type: 'modelCallStart' })
  | (SpanEnd & { type: 'modelCallEnd' })
  /** One config is asked; `digest` names the messages without telling them. */
  | (SpanStart & {
      type: 'modelAttemptStart'
      configId: number
      model: string | null
      messages: number
      digest: string
    })
  /** What was used is null where nothing is known of it; a part of an answer counts by an estimate. `kind`: why it failed. */
  | (SpanEnd & {
      type: 'modelAttemptEnd'
      configId: number
      model: string | null
      cached: boolean
      /** Milliseconds in which it waited for a permit of its limiter; absent when it did not wait. */
      waitedMs?: number
      kind: ModelErrorKind | null
      usage: Pick<Usage, 'promptTokens' | 'completionTokens' | 'totalTokens'> | null
      /** US dollars; null where the price is not known. */
      cost: number | null
    })
  | (SpanStart & { type: 'toolStart'; name: string; callId: string | null })
  | (SpanEnd & { type: 'toolEnd'; name: string; callId: string | null })
  | (SpanStart & { type: 'codeStart' })
  | (SpanEnd & { type: 'codeEnd' })
  | (SpanStart & { type: 'humanInputStart' })
  | (SpanEnd & { type: 'humanInputEnd' })

/** Numbers of one cut, for its event. */
export interface HistoryCutReport {
  /** Why the history was cut: too many tokens or messages, or a refusal of the provider. */
  readonly reason: 'tokens' | 'messages' | 'overflow'
  /** Estimated tokens of the request before the cut. */
  readonly tokensBefore: number
  /** Estimated tokens of the request after the cut. */
  readonly tokensAfter: number
  /** Messages that are no longer sent. */
  readonly leftOut: number
  /** Messages of those that a summary stands for. */
  readonly summarized: number
  /** Messages of which tool results, calls or attachments were cleared. */
  readonly cleared: number
  /** Messages that are too large alone and of which the middle was left out. */
  readonly shortened: number
}
