import type { AnswerDetails, AnswerUsage, FinishReason } from './answer.ts'

/** A streamed answer begins. */
export interface ModelStart {
  type: 'start'
  id: string
  model: string
}

/** A further piece of the answer's text. */
export interface TextDelta {
  type: 'textDelta'
  /** Index of the choice. */
  index: number
  text: string
}

/** A further piece of the model's reasoning. */
export interface ReasoningDelta {
  type: 'reasoningDelta'
  index: number
  text: string
}

/** The text of a choice so far was reasoning: the model marked only the end of its reasoning. */
export interface TextWasReasoning {
  type: 'textWasReasoning'
  index: number
}

/** A tool call begins. */
export interface ToolCallStart {
  type: 'toolCallStart'
  index: number
  /** Index of the call among the calls of its choice. */
  call: number
  id: string | null
  name: string
}

/** A further piece of a tool call's arguments. */
export interface ToolCallDelta {
  type: 'toolCallDelta'
  index: number
  call: number
  /** Piece of the JSON text of the arguments. */
  arguments: string
}

/** A tool call is complete. */
export interface ToolCallEnd {
  type: 'toolCallEnd'
  index: number
  call: number
}

/** The tokens of the whole answer. */
export interface UsageEvent {
  type: 'usage'
  usage: AnswerUsage
}

/** The parts of a choice beside its message are complete, without reasoning, which came in pieces. */
export interface DetailsEvent {
  type: 'details'
  index: number
  details: Omit<AnswerDetails, 'reasoning'>
}

/** A choice has ended. */
export interface ModelFinish {
  type: 'finish'
  index: number
  reason: FinishReason
}

/** One event of a streamed answer. */
export type ModelEvent =
  | ModelStart
  | TextDelta
  | ReasoningDelta
  | TextWasReasoning
  | ToolCallStart
  | ToolCallDelta
  | ToolCallEnd
  | UsageEvent
  | DetailsEvent
  | ModelFinish
