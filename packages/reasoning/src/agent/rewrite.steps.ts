import type { ChatMessage } from '@x/interfaces'
import { face, isXError, wait, type Steps } from '@x/kernel'
import { askModel } from '../ask/ask-model.ts'
import { fitPrompt } from '../ask/fit-prompt.ts'
import type { SearchJournal } from '../search/search-journal.ts'
import { publicText } from './prompt.ts'
import type { Reasoner } from './reasoner.ts'

/** Name of the caller for the log, and of its record in the journal. */
const REWRITER = 'prompt_rewriter'

/**
 * Makes one question of the messages of a chat, by the rewriter of the settings; the last message alone without one, at the
 * first message, and when nothing came of it. The answer of a model is kept in the journal of the chat.
 */
export function* rewriteQuestion(
  reasoner: Reasoner,
  messages: readonly ChatMessage[],
  journal: SearchJournal | undefined,
): Steps<string> {
  const { rewriter } = reasoner.settings
  const last = publicText(messages.at(-1))
  const earlier = messages.slice(0, -1).filter((message) => publicText(message) !== '')
  if (!rewriter || earlier.length === 0 || last === '') return last
  const run = yield* face()
  if (rewriter !== 'model') {
    const shown = messages.map((message) => ({ ...message, content: publicText(message) }))
    return (yield* wait(rewriter(shown, run), 'the rewriter of a reasoning agent')).trim() || last
  }
  const known = journal?.get(REWRITER)?.outcome
  if (known?.kind === 'answer') return known.text || last
  try {
    const caller = reasoner.answererAs(REWRITER)
    const content = rewriteMessage(earlier, last, reasoner.settings.maxPromptLength)
    const { text, used } = yield* wait(askModel(caller, content, { sample: 0, run }), REWRITER)
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

function rewriteMessage(earlier: readonly ChatMessage[], last: string, max: number | undefined): string {
  const lines = earlier.map((message) => `${message.name ?? message.role ?? 'user'}: ${publicText(message)}`)
  const { texts } = fitPrompt(REWRITER, [lines.join('\n\n'), last], max)
  return `A conversation so far:\n"""\n${texts[0]}\n"""\n\nThe message that comes next:\n"""\n${texts[1]}\n"""\n\nWrite that message again as one question that can be understood without the conversation: name what it refers to, and keep all numbers and conditions that matter. Write the question only, and do not answer it.`
}
