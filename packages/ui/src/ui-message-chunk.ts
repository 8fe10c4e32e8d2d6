/** Plain JSON beside a part, by the name of who wrote it. */
type Metadata = Readonly<Record<string, Readonly<Record<string, string>>>>

/** A piece of an answer in the UI message stream protocol `v1` of the AI SDK, as `useChat` reads it. */
export type UiMessageChunk =
  | { type: 'start'; messageId?: string }
  | { type: 'start-step' | 'finish-step' | 'reset-step' }
  | { type: 'text-start' | 'reasoning-start'; id: string; providerMetadata?: Metadata }
  | { type: 'text-delta' | 'reasoning-delta'; id: string; delta: string }
  | { type: 'text-end' | 'reasoning-end'; id: string }
  | { type: 'tool-input-start'; toolCallId: string; toolName: string }
  | { type: 'tool-input-delta'; toolCallId: string; inputTextDelta: string }
  | {
      type: 'tool-input-available'
      toolCallId: string
      toolName: string
      input: unknown
      toolMetadata: Record<string, string>
    }
  | { type: 'tool-output-available'; toolCallId: string; output: unknown; toolMetadata?: Record<string, string> }
  | { type: 'tool-output-error'; toolCallId: string; errorText: string }
  | { type: 'tool-output-denied'; toolCallId: string }
  | {
      type: 'tool-approval-request'
      toolCallId: string
      approvalId: string
      reason?: string
      isAutomatic?: true
      signature?: string
    }
  | { type: 'tool-approval-response'; approvalId: string; approved: boolean; reason?: string }
  | { type: 'source-url'; sourceId: string; url: string; title?: string }
  | { type: 'source-document'; sourceId: string; mediaType: string; title: string }
  | { type: 'file'; url: string; mediaType: string }
  | { type: `data-${string}`; id?: string; data: unknown }
  | { type: 'message-metadata'; messageMetadata: UiMessageMetadata }
  | {
      type: 'finish'
      finishReason: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'other'
      messageMetadata?: UiMessageMetadata
    }
  | { type: 'abort' }
  | { type: 'error'; errorText: string }

/** The metadata of an answer: `message.metadata` in the page. */
export interface UiMessageMetadata {
  /** Tokens of all requests of the run, those of agents inside tools included. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number; readonly totalTokens: number }
  /** Price of the same in US dollars; null if a price is not known. */
  readonly cost: number | null
  /** Why the run ended; null after an error or an abort. */
  readonly terminationReason: string | null
  /** Cursor of the last event in the log of a hosted chat, from which its next message goes on; absent of other runs. */
  readonly cursor?: string
}

/**
 * The data of a part `data-agent`: a text or a call of an agent inside a tool or a chat, as a message of the AI SDK, so that a page
 * shows it as it shows messages. One without parts tells of the agent itself.
 */
export interface UiAgentMessage {
  /** Id of the part, which replaces an earlier one with the same id. */
  readonly id: string
  readonly role: 'assistant'
  readonly metadata: {
    readonly agent: string
    /** The tool call in which the agent works; null for a chat inside a chat. */
    readonly toolCallId: string | null
    /** How the agent stands; only in the message without parts. */
    readonly state?: 'running' | 'waiting' | 'done' | 'failed' | 'stopped'
  }
  /** One call, or a text with the reasoning before it; empty in the message that has the state. */
  readonly parts: readonly UiAgentPart[]
}

/** An error, as events tell it. */
export interface UiError {
  readonly code: string | null
  readonly message: string
}

/** A part of the message of an agent inside another. */
export type UiAgentPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string; readonly state: 'done' }
  | {
      readonly type: `tool-${string}`
      readonly toolCallId: string
      readonly state: 'input-available' | 'output-available' | 'output-error' | 'output-denied'
      readonly input: unknown
      readonly output?: unknown
      readonly errorText?: string
      readonly approval?: { readonly id: string; readonly approved: false; readonly reason?: string }
    }
