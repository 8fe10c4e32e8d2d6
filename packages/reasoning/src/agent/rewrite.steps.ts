import { repeatCuts, viewMessages } from '@x/agent/steps'
import type { Agent, ChatMessage, OpenCall } from '@x/interfaces'
import { currentRun, isXError, wait, type Steps } from '@x/kernel'
import { scopeOf, within } from '@x/kernel/run'
import { askModel, fitPrompt, type ModelReply } from '../ask/ask-model.ts'
import type { SearchJournal } from '../search/search-journal.ts'
import { publicText, withoutGroundTruth } from './prompt.ts'
import type { Reasoner } from './reasoner.ts'

/** Name of the rewriter for the log, and key of its record in the journal. */
const REWRITER_NAME = 'prompt_rewriter'

/** A question and the conversation before it. */
export interface QuestionInChat {
  readonly agent: Agent
  readonly sender: Agent | null
  readonly messages: readonly ChatMessage[]
  /** The search for the question, in the journal of the chat. */
  readonly open: OpenCall | undefined
}

/**
 * Makes one question of the messages of a chat, by the rewriter of the settings. Without a rewriter, at the first message,
 * and if the rewriter fails, the question is the last message alone. The rewriter sees the messages that the `history` of
 * the agent sends. The journal of the chat stores the answer of a model.
 */
export function* rewriteQuestion(
  reasoner: Reasoner,
  question: QuestionInChat,
  journal: SearchJournal | undefined,
): Steps<string> {
  const { rewriter } = reasoner.settings
  const { agent, messages } = question
  const last = publicText(messages.at(-1))
  if (!rewriter || !needsContext(messages)) return last
  const recorded = rewriter === 'model' ? journal?.get(REWRITER_NAME)?.outcome : undefined
  if (recorded?.kind === 'answer') {
    yield* repeatCuts(agent, withoutGroundTruths(question))
    return recorded.text || last
  }
  const seen = (yield* viewMessages(agent, withoutGroundTruths(question)))!
  if (rewriter !== 'model') {
    const publicMessages = seen.map((message) => ({ ...message, content: publicText(message) }))
    const run = question.open?.run ?? (yield* currentRun())
    return (yield* wait(rewriter(publicMessages, run), 'the rewriter of a reasoning agent')).trim() || last
  }
  try {
    const { text, used } = yield* askRewriter(reasoner, question, seen)
    yield* wait(
      journal?.set(REWRITER_NAME, { outcome: { kind: 'answer', text, verdict: null }, used }),
      'the journal of a search',
    )
    return text || last
  } catch (error) {
    // A question without its context is better than none; errors that end the chat still end it.
    if (isXError(error, 'model-failed') || isXError(error, 'timeout') || isXError(error, 'no-response')) return last
    throw error
  }
}

/** Repeats the cuts of the agent's history for the rewriter of a search that has an answer. */
export function* repeatRewrite(reasoner: Reasoner, question: QuestionInChat): Steps<void> {
  if (reasoner.settings.rewriter && needsContext(question.messages))
    yield* repeatCuts(question.agent, withoutGroundTruths(question))
}

/** True if there is a text before the question to which it may refer. */
const needsContext = (messages: readonly ChatMessage[]): boolean =>
  publicText(messages.at(-1)) !== '' && messages.slice(0, -1).some((message) => publicText(message) !== '')

/** Removes the ground truth, which only the grader may know, before a history shortens or summarizes the messages. */
const withoutGroundTruths = (question: QuestionInChat): QuestionInChat => ({
  ...question,
  messages: question.messages.map(withoutGroundTruth),
})

/** Asks the model for the question; if the provider refuses the request as too long, asks again after another cut. */
function* askRewriter(reasoner: Reasoner, question: QuestionInChat, seen: readonly ChatMessage[]): Steps<ModelReply> {
  const { open, agent } = question
  const ask = function* (messages: readonly ChatMessage[]): Steps<ModelReply> {
    const run = yield* currentRun()
    const content = rewriteMessage(messages, reasoner.settings.maxPromptLength)
    return yield* wait(askModel(reasoner.answererAs(REWRITER_NAME), content, { sample: 0, run }), REWRITER_NAME)
  }
  const askInside = (messages: readonly ChatMessage[]): Steps<ModelReply> =>
    open ? within(scopeOf(open.run)!, ask(messages)) : ask(messages)
  try {
    return yield* askInside(seen)
  } catch (error) {
    if (!isXError(error) || error.kind !== 'context-overflow') throw error
    const fewer = yield* viewMessages(agent, withoutGroundTruths(question), { refused: true })
    if (!fewer) throw error
    return yield* askInside(fewer)
  }
}

function rewriteMessage(messages: readonly ChatMessage[], max: number | undefined): string {
  const earlier = messages.slice(0, -1).filter((message) => publicText(message) !== '')
  const lines = earlier.map((message) => `${message.name ?? message.role ?? 'user'}: ${publicText(message)}`)
  const { texts } = fitPrompt(REWRITER_NAME, [lines.join('\n\n'), publicText(messages.at(-1))], max)
  return `A conversation so far:\n"""\n${texts[0]}\n"""\n\nThe message that comes next:\n"""\n${texts[1]}\n"""\n\nWrite that message again as one question that can be understood without the conversation: name what it refers to, and keep all numbers and conditions that matter. Write the question only, and do not answer it.`
}
