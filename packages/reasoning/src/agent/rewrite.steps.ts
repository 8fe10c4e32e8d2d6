import { repeatCuts, viewMessages } from '@x/agent/steps'
import type { Agent, ChatMessage, OpenCall } from '@x/interfaces'
import { currentRun, isXError, wait, type Steps } from '@x/kernel'
import { scopeOf, within } from '@x/kernel/run'
import { askModel, fitPrompt, type ModelReply } from '../ask/ask-model.ts'
import type { SearchJournal } from '../search/search-journal.ts'
import { publicText, withoutGroundTruth } from './prompt.ts'
import type { Reasoner } from './reasoner.ts'

/** Name of the caller for the log, and of its record in the journal. */
const REWRITER = 'prompt_rewriter'

/** A question with the conversation that it comes from. */
export interface AskedQuestion {
  readonly agent: Agent
  readonly sender: Agent | null
  readonly messages: readonly ChatMessage[]
  /** The search that it is for, as the journal of the chat knows it. */
  readonly open: OpenCall | undefined
}

/**
 * Makes one question of the messages of a chat, by the rewriter of the settings; the last message alone without one, at the
 * first message, and when nothing came of it. The rewriter sees what the `history` of the agent leaves. The answer of a
 * model is kept in the journal of the chat.
 */
export function* rewriteQuestion(
  reasoner: Reasoner,
  asked: AskedQuestion,
  journal: SearchJournal | undefined,
): Steps<string> {
  const { rewriter } = reasoner.settings
  const { agent, messages } = asked
  const last = publicText(messages.at(-1))
  if (!rewriter || !needsContext(messages)) return last
  const known = rewriter === 'model' ? journal?.get(REWRITER)?.outcome : undefined
  if (known?.kind === 'answer') {
    yield* repeatCuts(agent, inPublic(asked))
    return known.text || last
  }
  const seen = (yield* viewMessages(agent, inPublic(asked)))!
  if (rewriter !== 'model') {
    const shown = seen.map((message) => ({ ...message, content: publicText(message) }))
    const run = asked.open?.run ?? (yield* currentRun())
    return (yield* wait(rewriter(shown, run), 'the rewriter of a reasoning agent')).trim() || last
  }
  try {
    const { text, used } = yield* askRewriter(reasoner, asked, seen)
    yield* wait(
      journal?.set(REWRITER, { outcome: { kind: 'answer', text, verdict: null }, used }),
      'the journal of a search',
    )
    return text || last
  } catch (error) {
    // A question without its context is better than none; what ends the chat ends it here, too.
    if (isXError(error, 'model-failed') || isXError(error, 'timeout') || isXError(error, 'no-response')) return last
    throw error
  }
}

/** Lets the history of the agent know of a search that has an answer: cuts for its rewriter are repeated. */
export function* repeatRewrite(reasoner: Reasoner, asked: AskedQuestion): Steps<void> {
  if (reasoner.settings.rewriter && needsContext(asked.messages)) yield* repeatCuts(asked.agent, inPublic(asked))
}

/** Whether a question has anything before it that it may refer to. */
const needsContext = (messages: readonly ChatMessage[]): boolean =>
  publicText(messages.at(-1)) !== '' && messages.slice(0, -1).some((message) => publicText(message) !== '')

/** Leaves out what only the grader may know, before a history shortens it or lets a model sum it up. */
const inPublic = (asked: AskedQuestion): AskedQuestion => ({
  ...asked,
  messages: asked.messages.map(withoutGroundTruth),
})

/** Asks the model for the question; when the provider refuses it as too long, once more with what another cut leaves. */
function* askRewriter(reasoner: Reasoner, asked: AskedQuestion, seen: readonly ChatMessage[]): Steps<ModelReply> {
  const { open, agent } = asked
  const ask = function* (messages: readonly ChatMessage[]): Steps<ModelReply> {
    const run = yield* currentRun()
    const content = rewriteMessage(messages, reasoner.settings.maxPromptLength)
    return yield* wait(askModel(reasoner.answererAs(REWRITER), content, { sample: 0, run }), REWRITER)
  }
  const askInside = (messages: readonly ChatMessage[]): Steps<ModelReply> =>
    open ? within(scopeOf(open.run)!, ask(messages)) : ask(messages)
  try {
    return yield* askInside(seen)
  } catch (error) {
    if (!isXError(error) || error.kind !== 'context-overflow') throw error
    const fewer = yield* viewMessages(agent, inPublic(asked), { refused: true })
    if (!fewer) throw error
    return yield* askInside(fewer)
  }
}

function rewriteMessage(messages: readonly ChatMessage[], max: number | undefined): string {
  const earlier = messages.slice(0, -1).filter((message) => publicText(message) !== '')
  const lines = earlier.map((message) => `${message.name ?? message.role ?? 'user'}: ${publicText(message)}`)
  const { texts } = fitPrompt(REWRITER, [lines.join('\n\n'), publicText(messages.at(-1))], max)
  return `A conversation so far:\n"""\n${texts[0]}\n"""\n\nThe message that comes next:\n"""\n${texts[1]}\n"""\n\nWrite that message again as one question that can be understood without the conversation: name what it refers to, and keep all numbers and conditions that matter. Write the question only, and do not answer it.`
}
