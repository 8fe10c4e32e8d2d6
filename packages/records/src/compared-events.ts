import type { ChatMessage, JournalKind, XEvent } from '@x/interfaces'
import { listIn } from './kept-run.ts'

/** The fields of events that a replay compares, by type. */
const COMPARED_FIELDS = {
  chatStart: ['agent', 'recipient', 'message', 'options'],
  chatEnd: ['outcome', 'terminationReason', 'summary', 'result', 'group', 'humanInput', 'messages', 'error'],
  receivedMessage: ['sender', 'recipient', 'message'],
} as const satisfies Partial<Record<XEvent['type'], readonly string[]>>

/** The types of these events. */
export const COMPARED_TYPES: ReadonlySet<XEvent['type']> = new Set(Object.keys(COMPARED_FIELDS) as XEvent['type'][])

type ComparedEvent = Extract<XEvent, { type: keyof typeof COMPARED_FIELDS }>

/** Identifies an event that is compared; null for others. */
export function eventId(event: XEvent): string | null {
  if (!COMPARED_TYPES.has(event.type)) return null
  // A recipient has a conversation with each sender, and in a group one with all of them: a number alone may stand twice.
  if (event.type === 'receivedMessage')
    return JSON.stringify([event.type, senderIn(event), event.recipient, event.index])
  return JSON.stringify([event.type, (event as Extract<ComparedEvent, { id: string }>).id])
}

/** The end of a chat. */
export type ChatEnd = Extract<XEvent, { type: 'chatEnd' }>

/** A message that an agent has received. */
export type ToldMessage = Extract<XEvent, { type: 'receivedMessage' }>

/** Identifies the sender of a message in its chat. */
export const senderIn = ({ chatId, sender }: Pick<ToldMessage, 'chatId' | 'sender'>): string =>
  JSON.stringify([chatId, sender])

/** True for a message of one agent of a chat to the other. */
export const isBetween = ({ sender, recipient }: ToldMessage, chat: ChatEnd): boolean =>
  [sender, recipient].every((name) => name === chat.agent || name === chat.recipient)

/** Adds a message to those of its sender. */
export function noteMessage(messages: Map<string, ToldMessage[]>, event: ToldMessage): void {
  listIn(messages, senderIn(event)).push(event)
}

/** A message without what differs between the histories of its sender and its recipient. */
export const withoutSides = (message: ChatMessage): object => ({ ...message, role: undefined, name: undefined })

/** The id of the span of an event, or of the chat around it. */
export const placeOf = (event: XEvent): string => ('id' in event ? event.id : (event.chatId ?? ''))

/** The fields of an event that are compared. */
export function fieldsOf(event: XEvent): Readonly<Record<string, unknown>> {
  const fields = COMPARED_FIELDS[event.type as ComparedEvent['type']] as readonly string[]
  return Object.fromEntries(
    fields.map((field) => [field, (event as unknown as Readonly<Record<string, unknown>>)[field]]),
  )
}

/** The part of the answer of a call that is compared where it is made again. */
export function comparedAnswer(kind: JournalKind, value: unknown): unknown {
  if (kind === 'code') return withoutMachine(value)
  if (kind !== 'search') return value
  // Jobs that the search stopped have cost, too.
  const { search, ...rest } = value as { readonly search?: object }
  return { ...rest, usage: null, ...(search && { search: { ...search, used: null } }) }
}

/** The result of code without how long it took, and where its file was for that. */
function withoutMachine(value: unknown): unknown {
  const { blocks, ...rest } = value as { readonly blocks?: readonly object[] }
  return { ...rest, codeFile: null, ...(blocks && { blocks: blocks.map((block) => ({ ...block, ms: null })) }) }
}
