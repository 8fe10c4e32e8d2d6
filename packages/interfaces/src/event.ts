import type { ChatMessage } from './message.ts'
import type { ActionToApprove } from './journal.ts'
import type { HumanInputMode } from './human.ts'
import type { ModelEvent } from './model-event.ts'
import type { SearchEvent } from './search-event.ts'
import type { UsageMode, UsageSummary } from './usage.ts'

/** A wrapper shows what it used. */
export interface UsageSummaryEvent {
  type: 'usageSummary'
  actualUsageSummary: UsageSummary | null
  totalUsageSummary: UsageSummary | null
  mode: UsageMode
}

/** An agent with a model is about to show what it used. */
export interface ConversableAgentUsageSummaryEvent {
  type: 'conversableAgentUsageSummary'
  recipient: string
}

/** An agent without a model was asked what it used. */
export interface ConversableAgentUsageSummaryNoCostIncurredEvent {
  type: 'conversableAgentUsageSummaryNoCostIncurred'
  recipient: string
}

/** A history was shortened and one message more was kept, so that tool results stay with their calls. */
export interface ClearConversableAgentHistoryEvent {
  type: 'clearConversableAgentHistory'
  agent: string
  noMessagesPreserved: number
}

/** A number of messages to keep was ignored, because one conversation was cleared. */
export interface ClearConversableAgentHistoryWarningEvent {
  type: 'clearConversableAgentHistoryWarning'
  recipient: string
}

/** A human was asked and answered nothing. */
export interface TerminationAndHumanReplyEvent {
  type: 'terminationAndHumanReply'
  noHumanInputMsg: string
  sender: string | null
  recipient: string
}

/** An agent that could ask a human answers by itself. */
export interface UsingAutoReplyEvent {
  type: 'usingAutoReply'
  humanInputMode: HumanInputMode
  sender: string | null
  recipient: string
}

/** A code block is about to run. */
export interface ExecuteCodeBlockEvent {
  type: 'executeCodeBlock'
  code: string
  language: string
  /** Place of the block in its message, from 0. */
  codeBlockCount: number
  recipient: string
}

/** Code that runs has printed something. */
export interface CodeOutputEvent {
  type: 'codeOutput'
  stream: 'stdout' | 'stderr'
  text: string
  /** Place of the block in its call, from 0. */
  block: number
}

/** A function is about to be called. */
export interface ExecuteFunctionEvent {
  type: 'executeFunction'
  funcName: string
  callId: string | null
  arguments: unknown
  recipient: string
}

/** A function was called; sent when asked to be verbose. */
export interface ExecutedFunctionEvent {
  type: 'executedFunction'
  funcName: string
  callId: string | null
  arguments: unknown
  content: string
  recipient: string
}

/** An agent received a message; `silent` silences it. */
export interface ReceivedMessageEvent {
  type: 'receivedMessage'
  sender: string
  recipient: string
  message: ChatMessage
}

/** A piece of a model's answer to an agent. */
export interface ModelDeltaEvent {
  type: 'modelDelta'
  agent: string
  event: ModelEvent
}

/** A search of an agent's has gone a step further. */
export interface SearchProgressEvent {
  type: 'searchProgress'
  agent: string
  event: SearchEvent
}

/** Something is not as it should be and work goes on. */
export interface WarningEvent {
  type: 'warning'
  text: string
  /** What it is about, for programs. */
  topic: string
}

/** A tool call or code waits for a decision, and the chat is suspended until there is one. */
export interface ApprovalRequestedEvent {
  type: 'approvalRequested'
  id: string
  agent: string
  action: ActionToApprove
}

/** Where in a run an event was sent. */
export interface EventOrigin {
  /** Identifier of the chat: `1`, and `1.4` for one inside it. */
  chatId?: string | undefined
  /** Names of the agents in whose reply it happened, outermost first; the last is the one that it is about. */
  agentPath?: readonly string[] | undefined
}

/** Everything that is sent while agents work: plain JSON; agents appear by name. */
export type XEvent = AnyEvent & EventOrigin

type AnyEvent =
  | ApprovalRequestedEvent
  | UsageSummaryEvent
  | ConversableAgentUsageSummaryEvent
  | ConversableAgentUsageSummaryNoCostIncurredEvent
  | ClearConversableAgentHistoryEvent
  | ClearConversableAgentHistoryWarningEvent
  | TerminationAndHumanReplyEvent
  | UsingAutoReplyEvent
  | ExecuteCodeBlockEvent
  | CodeOutputEvent
  | ExecuteFunctionEvent
  | ExecutedFunctionEvent
  | ReceivedMessageEvent
  | ModelDeltaEvent
  | SearchProgressEvent
  | WarningEvent
