import type { Steps } from '@x/kernel'
import { openConversation, stateOf } from '../memory/state.ts'
import { generateReply } from '../reply/generate-reply.steps.ts'
import type { OutputOf, Parameters } from '../schema/parameters.ts'
import { hasCall, type RunSides } from './answer-watch.steps.ts'
import type { ResultJudge } from './result-judge.steps.ts'
import { send } from './send.steps.ts'

/**
 * Reads the result out of the last answer of a run that has ended, for whatever reason; one that does not fit is sent back
 * as long as there are attempts, and then the run fails with `invalid-result`.
 */
export function* untilResult<P extends Parameters>(
  { agent, user, chat }: RunSides,
  judge: ResultJudge<P>,
  silent?: boolean | null,
): Steps<OutputOf<P>> {
  const state = stateOf(user)
  for (;;) {
    const conversation = openConversation(state, agent, chat)
    const { messages, saidLast } = conversation
    const newest = messages.at(-1)
    const isOpen = !saidLast && newest !== undefined && hasCall(newest)
    const answer = messages.findLast(({ name }) => name === agent.name)
    if (!isOpen && answer && (yield* judge.fits(answer))) return judge.value
    const repair = judge.takeRepair()
    // Providers refuse a message behind calls that have no answer.
    const reply = repair !== null && isOpen ? yield* generateReply(state, { sender: agent }) : repair
    if (reply === null) throw judge.failure(agent.name)
    // One question and one answer: the user's side says nothing by itself.
    conversation.replyAtReceive = false
    yield* send(user, reply, agent, { requestReply: true, silent })
  }
}
