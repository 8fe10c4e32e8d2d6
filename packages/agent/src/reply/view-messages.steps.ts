import type { Agent, ChatMessage, OpenCall } from '@x/interfaces'
import { currentRun, type Steps } from '@x/kernel'
import { openConversation, stateOf } from '../memory/state.ts'
import { scopeIn } from '../run/scope.ts'
import { chooseMessages, repeatKeptCuts, type AskingCall, type QuestionInView } from './answer-in-view.steps.ts'
import { unrolled } from './model-reply.steps.ts'

/** A question of an agent that has a conversation in it, and is no reply of its model: see `viewMessages`. */
export interface ConversationQuestion {
  readonly sender: Agent | null
  /** The conversation as the question would have it, oldest first. */
  readonly messages: readonly ChatMessage[]
  /** The call that the question is asked in: a journal keeps cuts as parts of it. Undefined where nothing is kept. */
  readonly open: OpenCall | undefined
}

/** Without a place of its own, a question is kept nowhere. */
const UNKEPT: Omit<AskingCall, 'run'> = {
  recorded: false,
  part: () => ({ known: undefined, keep: () => undefined }),
}

/**
 * Chooses the messages that an agent's `history` leaves of a conversation; all of them without one. Cuts are told, and what
 * they use counts as the agent's. After a refusal of the provider it gives null when nothing more can be cut.
 */
export function* viewMessages(
  agent: Agent,
  question: ConversationQuestion,
  { refused = false }: { readonly refused?: boolean | undefined } = {},
): Steps<readonly ChatMessage[] | null> {
  const asked = yield* inView(agent, question)
  if (asked) return yield* chooseMessages(asked.open, asked.its, { refused })
  return refused ? null : question.messages
}

/** Lets an agent's `history` know of a question that a journal has answered: the cuts that it has kept are repeated. */
export function* repeatCuts(agent: Agent, question: ConversationQuestion): Steps<void> {
  const asked = yield* inView(agent, question)
  if (asked) yield* repeatKeptCuts(asked.open, asked.its)
}

function* inView(
  agent: Agent,
  { sender, messages, open }: ConversationQuestion,
): Steps<{ readonly open: AskingCall; readonly its: QuestionInView } | null> {
  const state = stateOf(agent)
  const { history, model } = state
  if (!history || !model) return null
  const run = yield* currentRun()
  const { chat, participants } = scopeIn(run)
  const conversation = openConversation(state, sender, chat)
  const seen = messages.flatMap(unrolled)
  const its = { history, before: [], seen, conversation, tools: undefined, state, owner: state, model, participants }
  return { open: open ?? { ...UNKEPT, run }, its }
}
