import type { Agent, Carryover, ChatResult, QueuedChat, RunOptions } from '@x/interfaces'
import { currentRun, type Steps, wait, XError } from '@x/kernel'
import { checkOptions } from '@x/kernel/options'
import { isSilent, Side, stateOf } from '../memory/state.ts'
import type { ChatMeans } from '../options/operations.ts'
import { operate, operateSync, type RunDefaults } from '../run/operate.ts'
import { platformNow } from '../run/platform.ts'
import { scopeIn } from '../run/scope.ts'
import { allOrSuspended, withSilence } from '../run/within.steps.ts'
import { checkQueuedChats, QUEUE_KINDS } from './chat-options.ts'
import { initiateChat } from './chat.steps.ts'
import { checkSummary } from './begin.steps.ts'
import { shareMeans, SILENT_IO } from './open.steps.ts'

/** Options of the chats of a queue. */
interface QueueOptions {
  /** Sender of chats that name none. */
  readonly sender?: Agent | undefined
  /** True if the queue answers for an agent inside another chat. */
  readonly nested?: boolean | undefined
}

/** Runs chats one after the other; each chat gets the summaries of the earlier ones as carryover. */
export function* chatsInOrder(queue: readonly QueuedChat[], options: QueueOptions = {}): Steps<ChatResult[]> {
  const { sender } = options
  checkQueue(queue, sender)
  yield* warnOfRepetition(queue, sender)
  const results: ChatResult[] = []
  for (const [position, chat] of queue.entries()) {
    const excluded = new Set(chat.finishedChatIndexesToExcludeFromCarryover ?? [])
    const summaries = results.flatMap((result, index) => (excluded.has(index) ? [] : [result.summary]))
    results.push({ ...(yield* startChat(chat, options, summaries)), position })
  }
  return results
}

/**
 * Runs every chat as soon as its prerequisites have ended; it gets their summaries as carryover. Chats with one manager, whose
 * members cannot be in two chats at once, run one after the other.
 */
export function* chatsByPrerequisites(
  queue: readonly QueuedChat[],
  options: QueueOptions = {},
): Steps<Map<number, ChatResult>> {
  const { sender } = options
  checkQueue(queue, sender)
  const order = sortByPrerequisites(queue)
  yield* warnOfRepetition(queue, sender)
  const ended = new Map(order.map(({ chatId }) => [chatId!, Promise.withResolvers<ChatResult>()]))
  const scope = scopeIn(yield* currentRun())
  const places = new Map(order.map(({ chatId }) => [chatId!, scope.places.take()]))
  const before = chatsBefore(order, sender)
  function* settleChat(chat: QueuedChat): Steps<ChatResult> {
    try {
      return yield* chatInTurn(chat)
    } catch (error) {
      // Chats that wait for this one fail with it; all others end first.
      const { promise, reject } = ended.get(chat.chatId!)!
      promise.then(ignore, ignore)
      reject(error)
      throw error
    }
  }
  function* chatInTurn(chat: QueuedChat): Steps<ChatResult> {
    const excluded = new Set(chat.finishedChatIndexesToExcludeFromCarryover ?? [])
    const summaries: ChatResult['summary'][] = []
    for (const id of new Set(chat.prerequisites)) {
      const { summary } = yield* wait(ended.get(id)!.promise, `chat ${id}`)
      if (!excluded.has(id)) summaries.push(summary)
    }
    for (const id of before.get(chat.chatId!)!) yield* wait(ended.get(id)!.promise, `chat ${id}`)
    const place = places.get(chat.chatId!)
    const held = yield* startChat(chat, options, summaries, place)
    const result = { ...held, chatId: chat.chatId!, position: queue.indexOf(chat) }
    ended.get(chat.chatId!)!.resolve(result)
    return result
  }
  const results = yield* allOrSuspended(order.map(settleChat))
  return new Map(results.map((result) => [result.chatId!, result]))
}

const ignore = (): void => {}

/** Names for each chat of a sorted queue the last chats before it that have its managers. */
function chatsBefore(order: readonly QueuedChat[], sender: Agent | undefined): Map<number, readonly number[]> {
  const last = new Map<Agent, number>()
  return new Map(
    order.map((chat) => {
      const id = chat.chatId!
      const managers = [(chat.sender ?? sender)!, chat.recipient].filter((agent) => stateOf(agent).managerRole)
      const ids = managers.flatMap((manager) => last.get(manager) ?? [])
      for (const manager of managers) last.set(manager, id)
      return [id, ids]
    }),
  )
}

function* startChat(
  chat: QueuedChat,
  { sender, nested }: QueueOptions,
  summaries: readonly ChatResult['summary'][],
  place?: string,
): Steps<ChatResult> {
  const { sender: own, recipient, carryover = [], chatId: _, prerequisites: __, ...options } = chat
  const ownCarryover = typeof carryover === 'string' ? [carryover] : carryover
  const wholeCarryover: Carryover = [...ownCarryover, ...summaries]
  const from = (own ?? sender)!
  if (chat.message === undefined) {
    const text = 'a chat of a queue has no `message`: the human is asked for it'
    yield* withSilence(isSilent(stateOf(from), chat.silent), warning(from.name, text))
  }
  return yield* initiateChat(from, recipient, { ...options, carryover: wholeCarryover }, { place, apartIfBusy: nested })
}

function* warning(agent: string | null, text: string): Steps<void> {
  yield { type: 'warning', agent, topic: 'queue', text }
}

/** Warns if an agent is the recipient of several chats, since each chat clears the one before unless its history is kept. */
function* warnOfRepetition(queue: readonly QueuedChat[], sender: Agent | undefined): Steps<void> {
  if (new Set(queue.map(({ recipient }) => recipient)).size === queue.length) return
  const text =
    'an agent is the recipient of several chats of a queue: each clears the one before of the same two agents, unless it has `clearHistory: false`'
  const silent = queue.every((chat) => isSilent(stateOf((chat.sender ?? sender)!), chat.silent))
  yield* withSilence(silent, warning(null, text))
}

/** Refuses a queue with a chat that lacks a side or has a wrong `summaryMethod`, before anything is sent. */
function checkQueue(queue: readonly QueuedChat[], sender: Agent | undefined): void {
  for (const [index, chat] of queue.entries()) {
    const [from, to] = (
      [
        ['sender', chat.sender ?? sender],
        ['recipient', chat.recipient],
      ] as const
    ).map(([side, agent]) => {
      const state = agent && stateOf(agent)
      if (state) return state
      throw new XError('invalid-argument', `chat ${index} of the queue has no \`${side}\`: give an agent`)
    })
    checkSummary(new Side(from!, to!, null), chat)
  }
}

/** Sorts chats so that each follows its prerequisites; refuses a cycle and an unknown id. */
function sortByPrerequisites(queue: readonly QueuedChat[]): QueuedChat[] {
  const byId = new Map<number, QueuedChat>()
  for (const [index, chat] of queue.entries()) {
    const { chatId } = chat
    if (chatId === undefined || byId.has(chatId)) {
      const problem = chatId === undefined ? 'has no `chatId`' : `has the \`chatId\` ${chatId} of an earlier one`
      throw new XError(
        'invalid-argument',
        `chat ${index} of the queue ${problem}: give each chat its own, and \`prerequisites\` to those that wait for others and get their summaries`,
      )
    }
    byId.set(chatId, chat)
  }
  const order: QueuedChat[] = []
  const done = new Set<number>()
  const visit = (id: number, path: readonly number[]): void => {
    if (done.has(id)) return
    if (path.includes(id)) {
      const cycle = [...path.slice(path.indexOf(id)), id].join(' → ')
      throw new XError(
        'invalid-argument',
        `the chats ${cycle} wait for each other: take one of the \`prerequisites\` out`,
      )
    }
    const chat = byId.get(id)
    if (!chat) {
      throw new XError('invalid-argument', `chat ${path.at(-1)} waits for chat ${id}, which is not in the queue`)
    }
    for (const prerequisite of chat.prerequisites ?? []) visit(prerequisite, [...path, id])
    done.add(id)
    order.push(chat)
  }
  for (const id of byId.keys()) visit(id, [])
  return order
}

/** Chats by `chatId`, each with a `sender` of its own, as soon as its `prerequisites` have ended. */
export async function initiateChats(
  queue: readonly QueuedChat[],
  options: RunOptions & ChatMeans = {},
): Promise<Map<number, ChatResult>> {
  checkOptions(options, QUEUE_KINDS, 'run `initiateChats`')
  return await operate(queueSteps(queue, options, chatsByPrerequisites), defaultsOf(queue), options)
}

/** Chats one after the other, each with a `sender` of its own, blocking. */
export function initiateChatsSync(
  queue: readonly QueuedChat[],
  options: Pick<RunOptions, 'run' | 'emit'> & ChatMeans = {},
): ChatResult[] {
  checkOptions(options, QUEUE_KINDS, 'run `initiateChatsSync`')
  return operateSync(queueSteps(queue, options, chatsInOrder), defaultsOf(queue), options)
}

/** Returns the steps of a queue, after its checks. */
function queueSteps<T>(
  queue: readonly QueuedChat[],
  means: ChatMeans,
  runQueue: (queue: readonly QueuedChat[], options: { readonly sender: Agent | undefined }) => Steps<T>,
  sender?: Agent,
): Steps<T> {
  checkQueuedChats(queue, sender)
  return shareMeans(means, runQueue(queue, { sender }))
}

/** Runs a queue of chats of an agent, and keeps the results with the agent. */
export function* chatsOf<T extends ChatResult[] | Map<number, ChatResult>>(
  agent: Agent,
  queue: readonly QueuedChat[],
  means: ChatMeans,
  runQueue: (queue: readonly QueuedChat[], options: { readonly sender: Agent | undefined }) => Steps<T>,
): Steps<T> {
  const results = yield* queueSteps(queue, means, runQueue, agent)
  stateOf(agent).finishedChats = results
  return results
}

/** The events of a queue that is not part of a run go to the `io` of the first sender. */
function defaultsOf(queue: readonly QueuedChat[]): RunDefaults {
  const sender = queue[0]?.sender
  return (sender && stateOf(sender)) ?? { io: SILENT_IO, now: platformNow }
}
