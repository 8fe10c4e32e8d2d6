import type { ChatResult, QueuedChat, RunOptions } from '@x/interfaces'
import { runAsync, runSync } from '@x/kernel'
import { inRun, type ChatMeans } from '../resume/entered.steps.ts'
import { chatsByPrerequisites, chatsInOrder } from './queue.steps.ts'
import { partOf } from '../resume/scope.ts'
import { stateOf } from '../state/state.ts'
import type { ConversableAgent } from '../conversable-agent.ts'

/** Chats by `chatId`, each with a `sender` of its own, as soon as its `prerequisites` have ended. */
export async function initiateChats(
  queue: readonly QueuedChat[],
  { signal, emit = ioOf(queue), ...means }: RunOptions & ChatMeans = {},
): Promise<Map<number, ChatResult>> {
  return await runAsync(partOf(emit, inRun(means, chatsByPrerequisites(queue))), { signal, emit })
}

/** Chats one after the other, each with a `sender` of its own, blocking. */
export function initiateChatsSync(
  queue: readonly QueuedChat[],
  { emit = ioOf(queue), ...means }: Pick<RunOptions, 'emit'> & ChatMeans = {},
): ChatResult[] {
  return runSync(partOf(emit, inRun(means, chatsInOrder(queue))), { emit })
}

/** The events of a queue go to the `io` of the first sender. */
function ioOf(queue: readonly QueuedChat[]): RunOptions['emit'] {
  const sender = queue[0]?.sender as ConversableAgent | undefined
  const state = sender && stateOf(sender)
  return state && ((event) => state.io.send(event))
}
