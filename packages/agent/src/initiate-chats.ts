import type { ChatResult, QueuedChat, RunOptions } from '@x/interfaces'
import { runAsync, runSync } from '@x/kernel'
import { chatsByPrerequisites, chatsInOrder } from './queue.steps.ts'
import { stateOf } from './state.ts'
import type { ConversableAgent } from './conversable-agent.ts'

/** Chats by `chatId`, each with a `sender` of its own, as soon as its `prerequisites` have ended. */
export async function initiateChats(
  queue: readonly QueuedChat[],
  { signal, emit }: RunOptions = {},
): Promise<Map<number, ChatResult>> {
  return await runAsync(chatsByPrerequisites(queue), { signal, emit: emit ?? ioOf(queue) })
}

/** Chats one after the other, each with a `sender` of its own, blocking. */
export function initiateChatsSync(queue: readonly QueuedChat[], { emit }: Pick<RunOptions, 'emit'> = {}): ChatResult[] {
  return runSync(chatsInOrder(queue), { emit: emit ?? ioOf(queue) })
}

/** The events of a queue go to the `io` of the first sender. */
function ioOf(queue: readonly QueuedChat[]): RunOptions['emit'] {
  const sender = queue[0]?.sender as ConversableAgent | undefined
  const state = sender && stateOf(sender)
  return state && ((event) => state.io.send(event))
}
