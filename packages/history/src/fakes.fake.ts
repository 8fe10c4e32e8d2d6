import type { ChatMessage, HistoryQuestion, LlmConfig, ModelLimits } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { standaloneQuestion } from './standalone-question.ts'

/** The facts of a question that matter to a test. */
interface QuestionFacts {
  readonly window?: number
  readonly llmConfig?: LlmConfig
  readonly conversation?: object
  readonly before?: readonly ChatMessage[]
}

/** Makes a question to a history; three quarters of the window are for the history. */
export function questionFor(
  messages: readonly ChatMessage[],
  { window, llmConfig, conversation = {}, before }: QuestionFacts = {},
): HistoryQuestion {
  const limits: ModelLimits = window === undefined ? {} : { contextWindow: window }
  const question = standaloneQuestion({ messages, before, limits, conversation })
  if (!llmConfig) return question
  const model = Object.assign(llmConfig.createModel(), { limitsOf: () => limits })
  return { ...question, model, llmConfig }
}

/** Makes a text of about so many tokens. */
export const textOf = (tokens: number): string => 'word '.repeat(tokens).trim()

/** Makes a chat of so many questions and answers, and a last question. */
export const chatOf = (turns: number, tokens = 20): ChatMessage[] =>
  Array.from({ length: turns }, (_, turn): ChatMessage[] => [
    { role: 'user', content: `${turn}? ${textOf(tokens)}`, name: 'user' },
    { role: 'assistant', content: `${turn}! ${textOf(tokens)}` },
  ])
    .flat()
    .concat({ role: 'user', content: 'and now?', name: 'user' })

/** Makes rounds of one tool call and its result. */
export const toolRounds = (count: number, tokens: number): ChatMessage[] =>
  Array.from({ length: count }, (_, round): ChatMessage[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: `call_${round}`, type: 'function', function: { name: 'read', arguments: `{"file":${round}}` } },
      ],
    },
    { role: 'tool', tool_call_id: `call_${round}`, content: `${round}: ${textOf(tokens)}` },
  ]).flat()

/** Makes a model that writes summaries, and records its calls. */
export const summarizer = (summary: string = 'They talked.'): ReturnType<typeof functionModel> =>
  functionModel(() => ({ content: summary, usage: [100, 10], cost: 0.001 }))
