import type { Agent, ChatResult, Io, QueuedChat, RunOptions } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { checkOptions } from '@x/kernel/options'
import { stateOf } from '../memory/state.ts'
import type { RunDefaults } from '../run/run-defaults.ts'
import { platformNow } from '../run/platform.ts'
import { operate, operateSync } from '../run/operate.ts'
import { chatsByPrerequisites, chatsInOrder } from './queue.steps.ts'
import type { ChatMeans } from '../options/operations.ts'
import { checkQueuedChats, QUEUE_OPTIONS } from './check-chat-options.ts'
import { inRun } from './with-scope.steps.ts'

/** Chats by `chatId`, each with a `sender` of its own, as soon as its `prerequisites` have ended. */
export async function initiateChats(
  queue: readonly QueuedChat[],
  options: RunOptions & ChatMeans = {},
): Promise<Map<number, ChatResult>> {
  checkOptions(options, QUEUE_OPTIONS, 'run `initiateChats`')
  return await operate(queueSteps(queue, options, chatsByPrerequisites), defaultsOf(queue), options)
}

/** Chats one after the other, each with a `sender` of its own, blocking. */
export function initiateChatsSync(
  queue: readonly QueuedChat[],
  options: Pick<RunOptions, 'run' | 'emit'> & ChatMeans = {},
): ChatResult[] {
  checkOptions(options, QUEUE_OPTIONS, 'run `initiateChatsSync`')
  return operateSync(queueSteps(queue, options, chatsInOrder), defaultsOf(queue), options)
}

/** Makes the steps of a queue, checked before anything is sent. */
export function queueSteps<T>(
  queue: readonly QueuedChat[],
  means: ChatMeans,
  walk: (queue: readonly QueuedChat[], options: { readonly sender: Agent | undefined }) => Steps<T>,
  sender?: Agent,
): Steps<T> {
  checkQueuedChats(queue, sender)
  return inRun(means, walk(queue, { sender }))
}

/** The events of a queue that is not part of a run go to the `io` of the first sender. */
function defaultsOf(queue: readonly QueuedChat[]): RunDefaults {
  const sender = queue[0]?.sender
  return (sender && stateOf(sender)) ?? { io: SILENT, now: platformNow }
}

const SILENT: Io = { takes: new Set(), send: () => {}, input: () => '' }
