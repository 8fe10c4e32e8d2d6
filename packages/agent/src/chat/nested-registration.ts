import { XError } from '@x/kernel'
import type { NestedChat, RegisterNestedChatsOptions, StepsReply } from '../options/operations.ts'
import { ownReply, summaryFromNestedChats } from './nested.steps.ts'
import { stepsReply } from '../reply/steps-reply.ts'

/** The reply function that nested chats become. */
export function nestedReply(
  queue: readonly NestedChat[],
  options: RegisterNestedChatsOptions,
): { reply: StepsReply; async: boolean; ignoreAsyncInSyncChat: boolean } {
  const { replyFuncFromNestedChats: own = 'summary_from_nested_chats', useAsync = null } = options
  const missing = queue.findIndex(({ chatId }) => chatId === undefined)
  if (useAsync && missing !== -1) {
    throw new XError(
      'invalid-argument',
      `chat ${missing} of the nested queue has no \`chatId\`: async nested chats need one`,
    )
  }
  const isFunction = typeof own === 'function'
  if (own !== 'summary_from_nested_chats' && !isFunction) {
    throw new XError(
      'invalid-argument',
      '`replyFuncFromNestedChats` is neither `summary_from_nested_chats` nor a function',
    )
  }
  if (useAsync && isFunction && !isAsync(own)) {
    throw new XError(
      'invalid-argument',
      '`replyFuncFromNestedChats` is not async: async nested chats need an async function',
    )
  }
  return {
    reply: stepsReply(isFunction ? own.name : 'summaryFromNestedChats', (agent, input) =>
      isFunction ? ownReply(own, queue, agent, input) : summaryFromNestedChats(queue, agent, input, Boolean(useAsync)),
    ),
    async: Boolean(useAsync) || (isFunction && isAsync(own)),
    ignoreAsyncInSyncChat: useAsync === null ? (options.ignoreAsyncInSyncChat ?? false) : !useAsync,
  }
}

const isAsync = (its: object): boolean => Object.prototype.toString.call(its) === '[object AsyncFunction]'
