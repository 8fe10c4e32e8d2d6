import type { ApprovalField } from './approval-fields.ts'

/** An image or file that came with a message or a result. */
export interface ShownFile {
  readonly name: string
  /** `data:` or `https:` URL, or a path of the server for a file of the person; null when it is too large to be shown. */
  readonly url: string | null
  /** Number of bytes, if known. */
  readonly size?: number | undefined
  /** True if the URL is an image of a format that pages draw. */
  readonly isImage: boolean
}

/** A message of the person or an agent. */
export interface SpokenItem {
  /** `user`: the person; `assistant`: an agent. */
  readonly kind: 'user' | 'assistant'
  /** Name of the speaker. */
  readonly name: string
  /** Model that answered, if known. */
  readonly model?: string | undefined
  readonly text: string
  /** Reasoning of the model before the answer, as far as it tells. */
  readonly reasoning?: string | undefined
  readonly files?: readonly ShownFile[] | undefined
  /** True while more text may come. */
  readonly live?: true | undefined
  /** True if the person was asked and stayed silent. */
  readonly silent?: true | undefined
  /** Number of the turn that this message of the person has begun. */
  readonly turn?: number | undefined
}

/** A note about the chat, such as a stop or failure. */
export interface NoteItem {
  readonly kind: 'note'
  readonly text: string
  /** True for the failure of a turn. */
  readonly failed?: true | undefined
}

/** A call of a tool. */
export interface ToolItem {
  readonly kind: 'tool'
  /** Identifier of the call. */
  readonly call: string
  /** Name of the agent that makes the call. */
  readonly by: string
  readonly name: string
  /** The arguments as JSON text. */
  readonly arguments: string
  readonly state: 'called' | 'waiting' | 'running' | 'done'
  /** Identifier of the approval, while the call waits. */
  readonly approval?: string | undefined
  /** Words of the tool for whoever decides. */
  readonly note?: string | undefined
  /** The arguments as the fields of a form, while the call waits. */
  readonly fields?: readonly ApprovalField[] | undefined
  /** The talk in chats of other agents that the tool has begun. */
  readonly talk?: readonly { readonly name: string; readonly text: string }[] | undefined
  readonly result?: string | undefined
  readonly files?: readonly ShownFile[] | undefined
}

/** A question to the person in the middle of a turn. */
export interface QuestionItem {
  readonly kind: 'question'
  readonly id: string
  readonly text: string
  /** Answer of the person; null when the question was withdrawn. */
  readonly answer?: string | null | undefined
}

/** One line of the page. */
export type Item = SpokenItem | NoteItem | ToolItem | QuestionItem
