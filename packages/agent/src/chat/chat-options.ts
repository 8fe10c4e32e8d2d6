import type { Agent, ChatOptions, QueuedChat, RunOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds, runOptionKinds } from '@x/kernel/options'
import { AGENT, BUDGET, CACHE, JOURNAL, REPLY } from '../options/kinds.ts'
import type { ChatMeans, NestedChat } from '../options/operations.ts'

/** Options that hold for everything inside a chat. */
export const MEANS: OptionKinds<ChatMeans> = { budget: BUDGET, journal: JOURNAL, runId: kind.text, version: kind.text }

/** Text to carry into a chat. */
export const CARRYOVER: OptionKinds<ChatOptions>['carryover'] = {
  ...kind.either(kind.text, kind.list),
  expected: 'a text or a list',
}

const MESSAGE = { ...kind.orNull(kind.either(REPLY, kind.call)), expected: 'a text, a message, a function, or null' }

/** Where the messages of a chat are kept. */
export const CONVERSATION: OptionKinds<ChatOptions>['conversation'] = kind.oneOf('shared', 'own')

const CHAT: Omit<OptionKinds<ChatOptions>, keyof RunOptions | 'journal' | 'runId' | 'version'> = {
  message: MESSAGE,
  maxTurns: kind.orNull(kind.limit(0)),
  maxMessages: kind.limit(1),
  clearHistory: kind.flag,
  conversation: CONVERSATION,
  silent: kind.orNull(kind.flag),
  // A summary that cannot be made is refused with the two agents, one of which needs a model.
  summaryMethod: kind.any,
  summaryArgs: kind.object,
  carryover: CARRYOVER,
  cache: kind.orNull(CACHE),
  verbose: kind.flag,
  messageArgs: kind.object,
  budget: BUDGET,
}

/** Options of a chat. */
export const CHAT_OPTIONS: OptionKinds<ChatOptions> = { ...CHAT, ...MEANS, ...runOptionKinds }

/** Options of a queue of chats. */
export const QUEUE_OPTIONS: OptionKinds<ChatMeans & RunOptions> = { ...MEANS, ...runOptionKinds }

const QUEUED_CHAT: OptionKinds<QueuedChat> = {
  recipient: kind.any,
  sender: kind.orNull(AGENT),
  chatId: kind.whole(0),
  prerequisites: kind.list,
  finishedChatIndexesToExcludeFromCarryover: kind.list,
  ...CHAT,
}

const NESTED_CHAT: OptionKinds<NestedChat> = { ...QUEUED_CHAT, message: MESSAGE, carryoverConfig: kind.object }

const NESTED_CARRYOVER: OptionKinds<NonNullable<NestedChat['carryoverConfig']>> = {
  summaryMethod: kind.either(kind.oneOf('all', 'last_msg', 'reflection_with_llm'), kind.call),
  summaryArgs: kind.orNull(kind.object),
}

/** Refuses a queue with a chat that has an unknown or wrong option or two agents of one name, before anything is sent. */
export function checkQueuedChats(queue: readonly QueuedChat[], sender?: Agent): void {
  for (const [index, chat] of checkedList(queue).entries()) {
    checkOptions(chat ?? null, QUEUED_CHAT, `begin chat ${index} of the queue`)
    const from = chat.sender ?? sender
    if (from) refuseHomonyms(from, chat.recipient)
  }
}

/** Refuses a queue of nested chats with an unknown or wrong option. */
export function checkNestedChats(queue: readonly NestedChat[]): void {
  for (const [index, chat] of checkedList(queue).entries()) {
    checkOptions(chat ?? null, NESTED_CHAT, `register chat ${index} of the nested queue`)
    checkOptions(chat.carryoverConfig, NESTED_CARRYOVER, `register the \`carryoverConfig\` of nested chat ${index}`)
  }
}

/** A queue as a list; a single chat is refused. */
function checkedList<T>(queue: readonly T[]): readonly T[] {
  checkOptions({ queue }, { queue: { ...kind.list, expected: 'a list of chats' } }, 'run chats')
  return queue
}

/** Refuses a chat of two agents of one name: their messages could not be told apart. An agent may talk to itself. */
export function refuseHomonyms(one: Agent, other: Agent | undefined): void {
  if (one === other || one.name !== other?.name) return
  throw new XError(
    'invalid-argument',
    `cannot begin a chat of \`${one.name}\`: the other agent is named \`${one.name}\` too, and their messages could not be told apart; rename one of them`,
    { details: { name: one.name } },
  )
}
