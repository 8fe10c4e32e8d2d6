import type { ChatMessage, HistoryQuestion, LlmConfig, ModelLimits } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { questionOutside } from './outside.ts'

/** Facts of a question that a test names. */
interface AskedFacts {
  readonly window?: number
  readonly llmConfig?: LlmConfig
  readonly conversation?: object
  readonly before?: readonly ChatMessage[]
}

/** Makes a question of a test; a window leaves three quarters of itself for the history. */
export function asked(
  messages: readonly ChatMessage[],
  { window, llmConfig, conversation = {}, before }: AskedFacts = {},
): HistoryQuestion {
  const limits: ModelLimits = window === undefined ? {} : { contextWindow: window }
  const question = questionOutside({ messages, before, limits, conversation })
  if (!llmConfig) return question
  const model = Object.assign(llmConfig.createModel(), { limitsOf: () => limits })
  return { ...question, model, llmConfig }
}

/** A text of so many tokens, about. */
export const words = (tokens: number): string => 'word '.repeat(tokens).trim()

/** A chat of so many questions and answers. */
export const talk = (turns: number, tokens = 20): ChatMessage[] =>
  Array.from({ length: turns }, (_, turn): ChatMessage[] => [
    { role: 'user', content: `${turn}? ${words(tokens)}`, name: 'user' },
    { role: 'assistant', content: `${turn}! ${words(tokens)}` },
  ])
    .flat()
    .concat({ role: 'user', content: 'and now?', name: 'user' })

/** Rounds of one call and its result each. */
export const rounds = (count: number, tokens: number): ChatMessage[] =>
  Array.from({ length: count }, (_, round): ChatMessage[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `call_${round}`, type: 'function', function: { name: 'read', arguments: `{"file":${round}}` } },
      ],
    },
    { role: 'tool', tool_call_id: `call_${round}`, content: `${round}: ${words(tokens)}` },
  ]).flat()

/** A model that sums up, and keeps what it was asked. */
export const summarizer = (summary: string = 'They talked.'): ReturnType<typeof functionModel> =>
  functionModel(() => ({ content: summary, usage: [100, 10], cost: 0.001 }))
