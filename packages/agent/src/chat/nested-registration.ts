import { XError } from '@x/kernel'
import { ownReply, summaryFromNestedChats, type NestedChat, type NestedReply } from './nested.steps.ts'
import type { StepsReply } from '../memory/reply-slot.ts'
import { stepsReply } from '../reply/steps-reply.ts'

/** Options of registering nested chats. */
export interface RegisterNestedChatsOptions {
  /** What answers; default: the summary of the last chat. */
  readonly replyFuncFromNestedChats?: 'summary_from_nested_chats' | NestedReply | undefined
  /** Place in the list of reply functions; default 2, behind the termination check. */
  readonly position?: number | undefined
  /** Whether the chats run by their prerequisites, in the async faces only; each then needs a `chatId`. */
  readonly useAsync?: boolean | null | undefined
  readonly config?: unknown
  readonly resetConfig?: ((config: never) => void) | null | undefined
  /** Skips an async function in blocking chats instead of refusing the chat. */
  readonly ignoreAsyncInSyncChat?: boolean | undefined
}

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
