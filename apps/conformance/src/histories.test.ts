import {
  clearAttachments,
  clearToolResults,
  fit,
  limitMessages,
  limitTokens,
  pin,
  summarize,
  type FittedHistory,
} from '@x/history'
import type { ChatMessage, HistoryQuestion, Model } from '@x/interfaces'
import { openai } from '@x/provider-openai'
import { functionModel, startFakeOpenAI } from '@x/testing'
import { exchange } from '@x/testing/provider-contract'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyHistory, refusalOf, targets } from './any-history.fake.ts'

const model: Model = functionModel(() => 'x').createModel()

const question = (messages: readonly ChatMessage[]): HistoryQuestion => ({
  agent: { name: 'a', description: '', systemMessage: '' },
  conversation: {},
  before: [],
  messages,
  model,
  llmConfig: null,
  run: undefined,
  refused: false,
  answered: false,
})

/** Every way of cutting, with limits that a few messages exceed. */
const views: Readonly<Record<string, () => FittedHistory>> = {
  messages: () => fit(limitMessages({ max: 3, to: 2 })),
  'one message': () => fit(limitMessages(1)),
  tokens: () => fit(limitTokens(100)),
  'tokens of each message': () => fit(limitTokens({ total: 400, perMessage: 30 })),
  'tool results': () => fit(limitTokens(300), clearToolResults({ keep: 0, at: 0.1 })),
  attachments: () => fit(limitTokens(3000), clearAttachments({ keep: 0, at: 0.1 })),
  summary: () => fit(limitTokens(120), summarize({ model: functionModel(() => 'Summed up.'), at: 0.3 })),
  pins: () =>
    fit(
      limitTokens(100),
      pin(({ role }) => role === 'tool'),
      limitMessages(2),
    ),
}

/** Messages of an untidy history, some with long texts. */
const anyLongHistory = fc
  .tuple(anyHistory, fc.array(fc.nat(400), { minLength: 12, maxLength: 12 }))
  .map(([history, lengths]) =>
    unrolled(history).map((message, index): ChatMessage =>
      typeof message.content === 'string' && message.provider_metadata === undefined
        ? { ...message, content: message.content + ' word'.repeat(lengths[index % 12]!) }
        : message,
    ),
  )

const unrolled = (history: readonly ChatMessage[]): ChatMessage[] =>
  history.flatMap((message): ChatMessage[] => message.tool_responses ?? [message])

/** Makes sure that a history ends with a question. */
const withQuestion = (history: readonly ChatMessage[]): ChatMessage[] => [...history, { role: 'user', content: 'Hi' }]

describe.each(targets)('%s', (_, provider, format, entry) => {
  test.each(Object.entries(views))('takes any history after a cut by %s', async (_name, view) => {
    const whole = format.whole({ text: 'ok' })
    await fc.assert(
      fc.asyncProperty(anyLongHistory, async (history) => {
        const { messages } = await view().choose(question(withQuestion(history)))
        const { body, error } = await exchange(
          provider,
          entry,
          { model: entry.model!, messages: [...messages] },
          { whole },
        )
        expect(error).toBe(undefined)
        expect(refusalOf(format, entry, body)).toBe(undefined)
      }),
      { numRuns: 8 },
    )
  })
})

test('chat completions take any history after a cut', async () => {
  await using server = await startFakeOpenAI({ strict: true })
  const client = openai.createClient({ model: 'gpt-4o', apiKey: 'key', baseUrl: server.url, maxRetries: 0 })
  await fc.assert(
    fc.asyncProperty(anyLongHistory, fc.constantFrom(...Object.values(views)), async (history, view) => {
      const { messages } = await view().choose(question(withQuestion(history)))
      const answer = await client.create({ model: 'gpt-4o', messages: [...messages] }, {})
      expect(answer.choices.length).toBe(1)
    }),
    { numRuns: 25 },
  )
})
