import type { Agent, ChatMessage } from '@x/interfaces'

/** What a reply is generated from. */
export interface ReplyRequest {
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
  /** Reply functions to leave out. */
  readonly exclude?: readonly object[] | undefined
}
