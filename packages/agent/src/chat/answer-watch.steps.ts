import type { Agent, ChatMessage, JsonSchema } from '@x/interfaces'
import { openConversation, stateOf, type AnswerWatch, type ActiveChat } from '../memory/state.ts'
import { saysNothing } from '../reply/empty-replies.steps.ts'
import type { ResultJudge } from './result-judge.steps.ts'

/** The two sides of a `run`. */
export interface RunSides {
  readonly agent: Agent
  /** The agent that stands for the user. */
  readonly user: Agent
  /** The chat of the run. */
  readonly chat: ActiveChat
}

/**
 * Looks at the answers of a `run` in which no human is asked: once the agent has answered without a call so many times in
 * a row, and nothing on the user's side has a reply to that, the run ends.
 */
export function watchIdleAnswers({ agent, user, chat }: RunSides, most: number, opening: number): AnswerWatch {
  const state = stateOf(user)
  let inRow = 0
  let next = 0
  return {
    agent,
    user,
    answerSchema: undefined,
    isLast: null,
    replyByDefault(reply) {
      if (state.humanInputMode !== 'NEVER' || !saysNothing(reply)) return reply
      const conversation = openConversation(state, agent, chat)
      const count = conversation.messages.length
      // The message that opens the chat is not an answer.
      inRow = count === opening ? 0 : count === next ? inRow + 1 : 1
      next = count + 2
      if (inRow < most) return reply
      conversation.ended = 'answered'
      return null
    },
  }
}

/** Looks at the answers of a `run` for a result: ends it at the first that fits, and sends others back. */
export function watchResult({ agent, user, chat }: RunSides, judge: ResultJudge, schema: JsonSchema): AnswerWatch {
  return {
    agent,
    user,
    answerSchema: schema['type'] === 'object' ? schema : undefined,
    *isLast(messages) {
      const last = messages.at(-1)
      if (!last || hasCall(last) || !(yield* judge.fits(last))) return false
      openConversation(stateOf(user), agent, chat).ended = 'result'
      return true
    },
    replyByDefault: () => judge.takeRepair(),
  }
}

/** Whether a message asks for a call. */
export const hasCall = ({ tool_calls: calls, function_call: call }: ChatMessage): boolean =>
  Boolean(call) || Boolean(calls && calls.length > 0)
