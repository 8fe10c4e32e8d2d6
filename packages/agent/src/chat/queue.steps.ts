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

/** Who sends the chats of a queue, where they do not append, and whether they answer for an agent inside another chat. */
interface QueueOptions {
  readonly sender?: Agent | undefined
  readonly nested?: boolean | undefined
}

/** Runs chats one after the other; each carries the summaries of the earlier ones on. */
export function* chatsInOrder(queue: readonly QueuedChat[], options: QueueOptions = {}): Steps<ChatResult[]> {
  const { sender } = options
  checkQueue(queue, sender)
  yield* warnOfRepetition(queue, sender)
  const results: ChatResult[] = []
  for (const chat of queue) {
    const left = new Set(chat.finishedChatIndexesToExcludeFromCarryover ?? [])
    const summaries = results.flatMap((result, index) => (left.has(index) ? [] : [result.summary]))
    results.push(yield* startChat(chat, options, summaries))
  }
  return results
}

/** Runs chats as soon as their prerequisites have ended; each carries the summaries of these on. */
export function* chatsByPrerequisites(
  queue: readonly QueuedChat[],
  options: QueueOptions = {},
): Steps<Map<number, ChatResult>> {
  const { sender } = options
  checkQueue(queue, sender)
  const order = inOrder(queue)
  yield* warnOfRepetition(queue, sender)
  const ended = new Map(order.map(({ chatId }) => [chatId!, Promise.withResolvers<ChatResult>()]))
  const scope = scopeIn(yield* currentRun())
  const places = new Map(order.map(({ chatId }) => [chatId!, scope.places.take()]))
  function* chat(its: QueuedChat): Steps<ChatResult> {
    try {
      return yield* chatInTurn(its)
    } catch (error) {
      // Those that wait for it are told; the others end first.
      const { promise, reject } = ended.get(its.chatId!)!
      promise.then(ignore, ignore)
      reject(error)
      throw error
    }
  }
  function* chatInTurn(its: QueuedChat): Steps<ChatResult> {
    const left = new Set(its.finishedChatIndexesToExcludeFromCarryover ?? [])
    const summaries: ChatResult['summary'][] = []
    for (const id of new Set(its.prerequisites)) {
      const { summary } = yield* wait(ended.get(id)!.promise, `chat ${id}`)
      if (!left.has(id)) summaries.push(summary)
    }
    const place = places.get(its.chatId!)
    const result = { ...(yield* startChat(its, options, summaries, place)), chatId: its.chatId! }
    ended.get(its.chatId!)!.resolve(result)
    return result
  }
  const results = yield* allOrSuspended(order.map(chat))
  return new Map(results.map((result) => [result.chatId!, result]))
}

const ignore = (): void => {}

function* startChat(
  chat: QueuedChat,
  { sender, nested }: QueueOptions,
  summaries: readonly ChatResult['summary'][],
  place?: string,
): Steps<ChatResult> {
  const { sender: own, recipient, carryover = [], chatId: _, prerequisites: __, ...options } = chat
  const given = typeof carryover === 'string' ? [carryover] : carryover
  const all: Carryover = [...given, ...summaries]
  const from = (own ?? sender)!
  if (chat.message === undefined) {
    const text = 'a chat of a queue has no `message`: the human is asked for it'
    yield* withSilence(isSilent(stateOf(from), chat.silent), warning(from.name, text))
  }
  return yield* initiateChat(from, recipient, { ...options, carryover: all }, { place, apartIfBusy: nested })
}

function* warning(agent: string | null, text: string): Steps<void> {
  yield { type: 'warning', agent, topic: 'queue', text }
}

/** A recipient that comes twice forgets the first chat, unless its history is kept. */
function* warnOfRepetition(queue: readonly QueuedChat[], sender: Agent | undefined): Steps<void> {
  if (new Set(queue.map(({ recipient }) => recipient)).size === queue.length) return
  const text =
    'an agent is the recipient of several chats of a queue, and each clears the one before: set `clearHistory: false` to keep it'
  const silent = queue.every((chat) => isSilent(stateOf((chat.sender ?? sender)!), chat.silent))
  yield* withSilence(silent, warning(null, text))
}

/** Refuses a queue with a chat that lacks a side or cannot be summed up, before anything is sent. */
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

/** The chats in an order in which each comes after its prerequisites; a cycle or an unknown id is refused. */
function inOrder(queue: readonly QueuedChat[]): QueuedChat[] {
  const byId = new Map<number, QueuedChat>()
  for (const [index, chat] of queue.entries()) {
    const { chatId } = chat
    if (chatId === undefined || byId.has(chatId)) {
      const what = chatId === undefined ? 'has no `chatId`' : `has the \`chatId\` ${chatId} of an earlier one`
      throw new XError('invalid-argument', `chat ${index} of the queue ${what}: give each one its own`)
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
    for (const before of chat.prerequisites ?? []) visit(before, [...path, id])
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

/** Makes the steps of a queue, checked before anything is sent. */
function queueSteps<T>(
  queue: readonly QueuedChat[],
  means: ChatMeans,
  walk: (queue: readonly QueuedChat[], options: { readonly sender: Agent | undefined }) => Steps<T>,
  sender?: Agent,
): Steps<T> {
  checkQueuedChats(queue, sender)
  return shareMeans(means, walk(queue, { sender }))
}

/** Runs a queue of chats of an agent, which keeps their results. */
export function* chatsOf<T extends ChatResult[] | Map<number, ChatResult>>(
  agent: Agent,
  queue: readonly QueuedChat[],
  means: ChatMeans,
  walk: (queue: readonly QueuedChat[], options: { readonly sender: Agent | undefined }) => Steps<T>,
): Steps<T> {
  const results = yield* queueSteps(queue, means, walk, agent)
  stateOf(agent).finishedChats = results
  return results
}

/** The events of a queue that is not part of a run go to the `io` of the first sender. */
function defaultsOf(queue: readonly QueuedChat[]): RunDefaults {
  const sender = queue[0]?.sender
  return (sender && stateOf(sender)) ?? { io: SILENT_IO, now: platformNow }
}
