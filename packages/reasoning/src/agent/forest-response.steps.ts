import type { ConversableAgent } from '@x/agent'
import { kept, placeOf, stateOf } from '@x/agent/steps'
import type { Agent, ChatMessage, Model, ReplyOutcome, SearchEvent, XEvent } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { readUsage, searchJournalIn, usageSince } from './chat-journal.ts'
import { readPrompt } from './prompt.ts'
import type { Reasoner } from './reasoner.ts'
import { answerBySearch } from './reasoner.steps.ts'

/** The input of a reply function, as far as a search needs it. */
export interface ForestResponseInput {
  readonly messages?: readonly ChatMessage[] | null | undefined
  readonly sender?: Agent | null | undefined
}

/** Answers messages by a search, except the agent's own messages and empty ones. */
export function* forestResponse(
  agent: ConversableAgent,
  reasoner: Reasoner,
  { messages, sender = null }: ForestResponseInput,
): Steps<ReplyOutcome> {
  if (sender === (agent as Agent)) return [false, '']
  const state = stateOf(agent)
  const prompt = readPrompt(messages ?? state.conversations.get(sender)?.messages ?? [])
  if (prompt.question === '') return [true, 'TERMINATE']
  const { name } = agent
  const show = (event: SearchEvent): XEvent | undefined =>
    state.silent ? undefined : { type: 'searchProgress', agent: name, event }
  const { model } = state
  // In a resumed chat, a search with an answer is not repeated, and one without an answer continues.
  const place = yield* placeOf(`the search of ${name}`)
  if (place?.known) {
    const { reply, usage } = place.known.value as StoredReply
    model?.restoreUsage?.(usage)
    return [true, reply]
  }
  const before = readUsage(model)
  const reply = yield* answerBySearch(reasoner, prompt, { show, journal: searchJournalIn(place, model) })
  if (place?.scope.journal)
    yield* kept(place, { reply, usage: usageSince(before, readUsage(model)) } satisfies StoredReply)
  return [true, reply]
}

/** The answer of a search, as the journal of a chat stores it. */
interface StoredReply {
  readonly reply: string
  readonly usage: Parameters<NonNullable<Model['restoreUsage']>>[0]
}
