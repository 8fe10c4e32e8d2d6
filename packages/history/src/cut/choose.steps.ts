import type { ChosenHistory, HistoryQuestion, Model } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { estimateText, type TextCounter } from '../count/text-tokens.ts'
import { loadCounter, type encodingOf } from '../count/tokenizer.steps.ts'
import type { Beside } from './beside.ts'
import type { ConversationState } from './conversation-state.ts'
import { cutHistory, type DueCut } from './cut.steps.ts'

/** The parts that a choice is made with. */
export interface Choice {
  readonly state: ConversationState
  readonly beside: Beside
  readonly encoding: ReturnType<typeof encodingOf>
  /** Counters that were loaded, by their encodings. */
  readonly counters: Map<string, TextCounter>
  /** Tells whether a cut is due. */
  readonly due: (count: TextCounter) => DueCut | null
  readonly summaryModel: () => Model
}

/** Chooses the messages of a question where texts have to be counted, and cuts the history if that is due. */
export function* chooseWithCut(
  question: HistoryQuestion,
  { state, beside, encoding, counters, due, summaryModel }: Choice,
): Steps<ChosenHistory, never> {
  let count = encoding === null ? estimateText : counters.get(encoding)
  if (!count) {
    count = yield* loadCounter(encoding!, question.run)
    counters.set(encoding!, count)
  }
  state.calibrate(count, beside.tokens(count))
  const cut = due(count)
  return { cut: cut && (yield* cutHistory(cut, question, summaryModel)), messages: state.sent }
}
