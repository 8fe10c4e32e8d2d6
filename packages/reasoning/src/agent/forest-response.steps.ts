import { kept, placeOf, stateOf, stepsReply, type StepsReply } from '@x/agent/steps'
import type { Agent, ChatMessage, Model, ReplyOutcome, SearchEvent, XEvent } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { chatJournal, usageOf, usedSince } from './chat-journal.ts'
import { questionIn } from './question.ts'
import { answerBySearch } from './reasoner.steps.ts'
import type { ReasoningAgent } from './reasoning-agent.ts'

/** What a reply is made from. */
interface Asked {
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
}

/** The reply function of a reasoning agent: answers by a search, but for its own messages and empty ones. */
export const generateForestResponse: StepsReply = stepsReply('generateForestResponse', (agent, input) =>
  forestResponse(agent as ReasoningAgent, input),
)

/** Answers messages by a search (spec, generate_forest_response). */
export function* forestResponse(agent: ReasoningAgent, { messages, sender = null }: Asked): Steps<ReplyOutcome> {
  if (sender === (agent as Agent)) return [false, '']
  const state = stateOf(agent)
  const question = questionIn(messages ?? state.conversations.get(sender)?.messages ?? [])
  if (question.prompt === '') return [true, 'TERMINATE']
  const { name } = agent
  const show = (event: SearchEvent): XEvent | undefined =>
    state.silent ? undefined : { type: 'searchProgress', agent: name, event }
  const { model } = state
  // In a chat that is resumed, a search that has answered is not made again, and one that has not goes on.
  const place = yield* placeOf(`the search of ${name}`)
  if (place?.known) {
    const { reply, usage } = place.known.value as Searched
    model?.restoreUsage?.(usage)
    return [true, reply]
  }
  const before = usageOf(model)
  const reply = yield* answerBySearch(agent.reasoner, question, { show, journal: chatJournal(place, model) })
  if (place?.scope.journal) yield* kept(place, { reply, usage: usedSince(before, usageOf(model)) } satisfies Searched)
  return [true, reply]
}

/** What a search answered, as the journal of a chat keeps it. */
interface Searched {
  readonly reply: string
  readonly usage: Parameters<NonNullable<Model['restoreUsage']>>[0]
}
