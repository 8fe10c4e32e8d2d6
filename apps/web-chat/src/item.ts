/** Something that was said. */
export interface SpokenItem {
  readonly kind: 'user' | 'assistant'
  readonly text: string
  /** Whether more of it may come. */
  readonly live?: true | undefined
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
  readonly name: string
  /** The arguments as JSON text. */
  readonly arguments: string
  readonly state: 'called' | 'waiting' | 'running' | 'done'
  /** What to decide on, while it waits. */
  readonly approval?: string | undefined
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

/** What a page is told: everything at first, then what changes. */
export type Change =
  | { readonly type: 'all'; readonly items: readonly Item[]; readonly busy: boolean }
  | { readonly type: 'item'; readonly index: number; readonly item: Item }
  | { readonly type: 'text'; readonly index: number; readonly text: string }
  | { readonly type: 'busy'; readonly busy: boolean }
