import type { ChatMessage, MaybePromise, RunContext } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import type { FittedHistory } from './fitted-history.ts'
import { questionOutside } from './outside.ts'
import { unrolled } from './unrolled.ts'

/**
 * Makes a hook for `processAllMessagesBeforeReply` of a history, for programs that transform messages by hooks. All reply
 * functions then get the messages that are left. The window of the model is not known here: give `limitTokens` a count.
 * The option `history` of an agent knows it, and keeps its cuts in journals and saved states.
 */
export function historyHook(
  history: FittedHistory,
): (messages: readonly ChatMessage[], context?: RunContext) => MaybePromise<ChatMessage[]> {
  // A list of messages alone is given by `selectSpeakerTransformMessages` of a group.
  return (given, context) => {
    // Whoever gives the list may have it back.
    const messages = given as ChatMessage[]
    const [first] = messages
    if (!first) return messages
    const list = unrolled(messages)
    const chosen = history.choose(questionOutside({ messages: list, run: context?.run, conversation: first }))
    const shown = (sent: readonly ChatMessage[]): ChatMessage[] =>
      sent.length === list.length && sent.every((message, index) => message === list[index]) ? messages : [...sent]
    return isThenable(chosen) ? chosen.then(({ messages: sent }) => shown(sent)) : shown(chosen.messages)
  }
}
