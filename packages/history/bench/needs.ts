import type { ChatMessage } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { clearToolResults, fit, limitTokens, pin, summarize, type FittedHistory } from '../src/index.ts'

/** A usual need: how the conversation grows, and the history that serves it. */
export interface Need {
  readonly name: string
  /** The messages that are new before each question to the model. */
  readonly turns: readonly (readonly ChatMessage[])[]
  readonly history: () => FittedHistory
  /** The model that writes the summaries, with its calls; null without summaries. */
  readonly summaries: { readonly calls: readonly { readonly messages: readonly ChatMessage[] }[] } | null
}

const SAMPLE_WORDS =
  'the order of a customer was looked at again and found to be on its way to the town where it belongs'.split(' ')

/** Makes a text of so many words, the same in every run. */
const text = (words: number, seed: number): string =>
  Array.from({ length: words }, (_, index) => SAMPLE_WORDS[(index * 7 + seed) % SAMPLE_WORDS.length]).join(' ')

const user = (content: string): ChatMessage => ({ role: 'user', name: 'user', content })
const assistant = (content: string): ChatMessage => ({ role: 'assistant', content })

function supportChat(): Need {
  const model = functionModel(() => text(150, 3))
  return {
    name: 'a support chat of weeks',
    turns: Array.from({ length: 150 }, (_, turn) => [
      ...(turn === 0 ? [] : [assistant(text(120, turn))]),
      user(text(40, turn)),
    ]),
    history: () => fit(limitTokens(8000), pin(1), summarize({ model })),
    summaries: model,
  }
}

function codingAgent(): Need {
  const read = (turn: number, words: number): ChatMessage[] => [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `call_${turn}`, type: 'function', function: { name: 'read', arguments: `{"file":${turn}}` } }],
    },
    { role: 'tool', tool_call_id: `call_${turn}`, content: text(words, turn) },
  ]
  return {
    name: 'a coding agent with huge results',
    turns: Array.from({ length: 80 }, (_, turn) =>
      turn === 0 ? [user('Fix the bug.')] : read(turn, turn % 20 === 19 ? 40_000 : 900),
    ),
    history: () => fit(limitTokens({ total: 32_000, perMessage: 8000 }), clearToolResults({ keep: 3 })),
    summaries: null,
  }
}

function group(): Need {
  const model = functionModel(() => text(150, 5))
  return {
    name: 'a group',
    turns: Array.from({ length: 100 }, (_, turn) => [
      ...(turn === 0 ? [user('A dinner for four, please.')] : [assistant(text(90, turn))]),
      ...['cook', 'critic'].map((name, index): ChatMessage => ({
        role: 'user',
        name,
        content: text(90, turn + index),
      })),
    ]),
    history: () => fit(limitTokens(8000), summarize({ model })),
    summaries: model,
  }
}

const smallWindow = (): Need => ({
  name: 'a small local window',
  turns: Array.from({ length: 120 }, (_, turn) => [
    ...(turn === 0 ? [] : [assistant(text(80, turn))]),
    user(text(30, turn)),
  ]),
  history: () => fit(limitTokens(3000)),
  summaries: null,
})

/** The four usual needs of the document. */
export const needs = (): readonly Need[] => [supportChat(), codingAgent(), group(), smallWindow()]
