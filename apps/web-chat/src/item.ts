import type { ApprovalField } from './approval-fields.ts'

/** Something that was said. */
export interface SpokenItem {
  /** Whether the person said it, or an agent. */
  readonly kind: 'user' | 'assistant'
  /** Name of who speaks. */
  readonly name: string
  /** Model that answered, as far as it is known. */
  readonly model?: string | undefined
  readonly text: string
  /** Whether more of it may come. */
  readonly live?: true | undefined
  /** Whether the person was asked and stayed silent. */
  readonly silent?: true | undefined
}

/** Something that happened: a stop, a failure. */
export interface NoteItem {
  readonly kind: 'note'
  readonly text: string
}

/** A call of a tool. */
export interface ToolItem {
  readonly kind: 'tool'
  /** Identifier of the call. */
  readonly call: string
  /** Name of the agent that wants the call. */
  readonly by: string
  readonly name: string
  /** The arguments as JSON text. */
  readonly arguments: string
  readonly state: 'called' | 'waiting' | 'running' | 'done'
  /** What to decide on, while the call waits. */
  readonly approval?: string | undefined
  /** The arguments as the fields of a form, while the call waits. */
  readonly fields?: readonly ApprovalField[] | undefined
  readonly result?: string | undefined
}

/** A question to the person in the middle of a turn. */
export interface QuestionItem {
  readonly kind: 'question'
  readonly id: string
  readonly text: string
  /** What the person answered; null when the question was withdrawn. */
  readonly answer?: string | null | undefined
}

/** One line of the page. */
export type Item = SpokenItem | NoteItem | ToolItem | QuestionItem
