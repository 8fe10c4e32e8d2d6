import type { ConversableAgent } from '@x/agent'
import { internalsOf, toolsInRun } from '@x/agent/steps'
import type { Agent, ChatMessage, Model, ReplyOutcome, SearchUsage } from '@x/interfaces'
import { currentRun, wait, type Steps } from '@x/kernel'
import { scopeOf } from '@x/kernel/run'
import { readUsage, searchJournalIn, toCredit, usageSince } from '../search/chat-journal.ts'
import { recallSearch, type ToldResult } from '../search/search-events.steps.ts'
import { readPrompt } from './prompt.ts'
import type { Reasoner } from './reasoner.ts'
import { refuseToolsOf } from './refuse-tools.ts'
import { answerBySearch } from './reasoner.steps.ts'
import { repeatRewrite, rewriteQuestion } from './rewrite.steps.ts'

/** The input of a reply function that a search needs. */
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
  const { conversations, model } = internalsOf(agent)
  const all = messages ?? conversations.get(sender)?.messages ?? []
  const prompt = readPrompt(all)
  if (prompt.question === '') return [true, 'TERMINATE']
  const run = yield* currentRun()
  refuseToolsOf(agent.name, { tools: toolsInRun(agent, run) })
  // In a resumed chat, a search with an answer is not repeated, and a search without an answer continues.
  const open = scopeOf(run)?.open?.(run, { kind: 'search' })
  const isPerformedElsewhere = reasoner.settings.perform !== undefined
  const kept = searchJournalIn(open, model, isPerformedElsewhere)
  const question = { agent, sender, messages: all, open }
  const credit = (used: SearchUsage): void => model?.restoreUsage?.(toCredit(used))
  const { name } = agent
  const answerTo = (text: string) =>
    answerBySearch(reasoner, { ...prompt, question: text }, { agent: name, open, kept, credit })
  if (!open) return [true, (yield* answerTo(yield* rewriteQuestion(reasoner, question, kept))).answer]
  try {
    const before = readUsage(model)
    if (open.known) {
      const { reply, usage, search } = open.known.value as StoredReply
      yield* repeatRewrite(reasoner, question)
      // A repeated cut restores its own usage.
      const own = usageSince(usageSince(before, readUsage(model)), usage)
      model?.restoreUsage?.(own)
      if (!isPerformedElsewhere) scopeOf(run)?.countUsage?.(own)
      if (search) {
        const { question: asked, ...result } = search
        yield* recallSearch({ agent: name, open }, { question: asked, result: { ...result, answer: reply } })
      }
      return [true, reply]
    }
    const held = open.beforeCall?.()
    if (held) yield* wait(held, 'the journal of a chat')
    // Cuts of the history belong to the chat: a resumed chat does not report them again.
    const rewritten = yield* rewriteQuestion(reasoner, question, kept)
    const { answer: reply, ...result } = yield* answerTo(rewritten)
    const search = { question: rewritten, ...result }
    const stored: StoredReply = { reply, usage: usageSince(before, readUsage(model)), search }
    if (open.recorded) yield* wait(open.keep(stored), 'the journal of a chat')
    return [true, reply]
  } finally {
    open.end()
  }
}

/** The answer of a search, as the journal of a chat stores it. */
interface StoredReply {
  readonly reply: string
  readonly usage: Parameters<NonNullable<Model['restoreUsage']>>[0]
  /** Further facts of the search; absent in journals of earlier versions. */
  readonly search?: ({ readonly question: string } & Omit<ToldResult, 'answer'>) | undefined
}
