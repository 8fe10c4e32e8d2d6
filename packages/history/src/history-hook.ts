import type { ChatMessage, MaybePromise, RunContext } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { standaloneQuestion, unrollToolResponses } from './standalone-question.ts'
import type { FittedHistory } from './views/view.ts'

/**
 * Makes a `processAllMessagesBeforeReply` hook of a history, for programs that transform messages by hooks. All reply
 * functions then see only the messages that the history sends. The window of the model is not known here: give
 * `limitTokens` a count. The option `history` of an agent knows the window, and keeps its cuts in journals and saved states.
 */
export function historyHook(
  history: FittedHistory,
): (messages: readonly ChatMessage[], context?: RunContext) => MaybePromise<ChatMessage[]> {
  // `selectSpeakerTransformMessages` of a group passes the messages alone.
  return (storedMessages, context) => {
    // The caller gets its own list back where nothing is cut.
    const stored = storedMessages as ChatMessage[]
    const [first] = stored
    if (!first) return stored
    const messages = unrollToolResponses(stored)
    const choice = history.choose(standaloneQuestion({ messages, run: context?.run, conversation: first }))
    const toSend = (sent: readonly ChatMessage[]): ChatMessage[] =>
      sent.length === messages.length && sent.every((message, index) => message === messages[index])
        ? stored
        : [...sent]
    return isThenable(choice) ? choice.then(({ messages: sent }) => toSend(sent)) : toSend(choice.messages)
  }
}
