/** Plain JSON beside an event; a client keeps that of messages and calls with them. */
type Metadata = Readonly<Record<string, unknown>>

/** The agent of an event, and further fields. */
interface Attribution {
  /** The agent inside the run that it comes from; absent: the agent of the run. */
  readonly subagentRunId?: string
  readonly metadata?: Metadata
}

/** An event of AG-UI 1.0, as `toAgUi` writes them. */
export type AgUiEvent =
  | { type: 'RUN_STARTED'; threadId: string; runId: string; protocolVersion: '1.0' }
  | {
      type: 'RUN_FINISHED'
      threadId: string
      runId: string
      outcome: AgUiOutcome
      usage: AgUiUsage[]
      metadata: Metadata
    }
  | { type: 'RUN_ERROR'; message: string; usage: AgUiUsage[]; metadata: Metadata }
  | (Attribution &
      (
        | { type: 'TEXT_MESSAGE_START'; messageId: string; role: 'assistant'; name?: string }
        | { type: 'REASONING_MESSAGE_START'; messageId: string; role: 'reasoning' }
        | { type: 'TEXT_MESSAGE_CONTENT' | 'REASONING_MESSAGE_CONTENT'; messageId: string; delta: string }
        | { type: 'TEXT_MESSAGE_END' | 'REASONING_MESSAGE_END'; messageId: string }
        | { type: 'REASONING_START' | 'REASONING_END'; messageId: string }
        | { type: 'TOOL_CALL_START'; toolCallId: string; toolCallName: string; parentMessageId?: string }
        | { type: 'TOOL_CALL_ARGS'; toolCallId: string; delta: string }
        | { type: 'TOOL_CALL_END'; toolCallId: string }
        | {
            type: 'TOOL_CALL_RESULT'
            messageId: string
            toolCallId: string
            role: 'tool'
            content: string | AgUiPart[]
          }
        | { type: 'CUSTOM'; name: string; value: unknown }
      ))
  | {
      type: 'SUBAGENT_STARTED'
      subagentRunId: string
      name: string
      parentSubagentRunId?: string
      parentToolCallId?: string
    }
  | { type: 'SUBAGENT_FINISHED'; subagentRunId: string; outcome: { type: 'success' | 'suspended' } }
  | { type: 'SUBAGENT_ERROR'; subagentRunId: string; message: string }
  | { type: 'MESSAGES_SNAPSHOT'; messages: AgUiMessage[] }

/** How a run ends that has not failed. */
export type AgUiOutcome = { type: 'success' | 'cancelled' } | { type: 'interrupt'; interrupts: AgUiInterrupt[] }

/** A question to the page. */
export interface AgUiInterrupt {
  readonly id: string
  readonly reason: 'tool_call' | 'input_required' | 'decided_elsewhere'
  readonly message: string
  readonly toolCallId?: string
  readonly subagentRunId?: string
  /** JSON Schema of the answer. */
  readonly responseSchema?: Record<string, unknown>
  readonly metadata: Metadata
}

/** Tokens of the requests to one model. */
export interface AgUiUsage {
  readonly model: string
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
}

/** A part of a result. */
export type AgUiPart =
  | { type: 'text'; text: string }
  | {
      type: 'image' | 'audio' | 'document'
      source: { type: 'url' | 'file'; value: string }
    }

/** A message as the page has it. */
export type AgUiMessage = { readonly id: string; readonly role: string } & Readonly<Record<string, unknown>>
