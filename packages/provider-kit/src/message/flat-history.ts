import type { ChatMessage } from '@x/interfaces'
import { flattenMessages } from './flatten-messages.ts'
import { pairResults } from './pair-results.ts'
import { createIdMap, idsOf, type IdentifierRule } from './tool-ids.ts'

/** Options of `flatHistory`. */
export interface FlatOptions {
  /** Ids of calls that the provider takes. */
  readonly ids: IdentifierRule
  /** Whether calls and results of the older style stay, for providers that know it; default false. */
  readonly legacy?: boolean | undefined
}

/** System texts and turns; every call has its result and every result its call. */
export interface FlatHistory {
  readonly messages: readonly ChatMessage[]
  /** Returns the id that the provider takes for an id of these messages. */
  readonly idOf: (id: string) => string
}

/**
 * Returns a stored conversation in the plain form that providers take: results of several calls each in a message of role
 * `tool`, right behind their calls and in the same order; a missing result is replaced by a note, a result without a
 * call becomes text of the user. The stored messages are not changed; those that need no change are the same objects.
 */
export function flatHistory(stored: readonly ChatMessage[], { ids, legacy }: FlatOptions): FlatHistory {
  const messages = pairResults(flattenMessages(stored, legacy))
  return { messages, idOf: createIdMap(ids, idsOf(messages)) }
}
