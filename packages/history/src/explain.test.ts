import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'
import { clearToolResults } from './views/clear-tool-results.ts'
import { explain } from './explain.ts'
import { rounds, summarizer, talk } from './fakes.fake.ts'
import { fit } from './fit.ts'
import { limitTokens } from './views/limit-tokens.ts'
import { summarize } from './views/summarize.ts'

it('tells that everything is sent where it fits', () => {
  const { rows, reason, messages, tokensBefore, tokensAfter } = explain(talk(3), fit(), {
    limits: { contextWindow: 100_000 },
    systemMessage: 'Be brief.',
  })
  expect(reason).toBe(null)
  expect(messages.length).toBe(7)
  expect(rows.every(({ fate }) => fate === 'sent')).toBe(true)
  expect(tokensAfter).toBe(tokensBefore)
})

it('tells what becomes of each message, with tool results one by one', () => {
  const history = [
    ...talk(10, 50),
    ...rounds(6, 100).map((message) =>
      message.role === 'tool'
        ? {
            role: 'tool' as const,
            tool_responses: [{ ...message, role: 'tool' as const, content: message.content as string }],
            content: '',
          }
        : message,
    ),
  ]
  const before = structuredClone(history)
  const { rows, reason } = explain(history, fit(limitTokens(900), clearToolResults({ keep: 1 })))
  expect(reason).toBe('tokens')
  expect(rows.length).toBe(history.length)
  expect(rows[0]).toEqual({ index: 0, role: 'user', tokens: expect.any(Number), fate: 'left out' })
  expect(rows.at(-1)!.fate).toBe('sent')
  expect(history).toEqual(before)
})

it('says where a summary would stand, and asks no model', () => {
  const model = summarizer()
  const { rows, messages } = explain(talk(40, 50), fit(limitTokens(2000), summarize({ model })))
  expect(messages[0]!.content).toBe('[A summary would stand here.]')
  expect(rows.filter(({ fate }) => fate === 'summarized').length).toBeGreaterThan(20)
  expect(model.calls.length).toBe(0)
})

it('knows the limits of an answer', () => {
  // Half of a window goes to an answer at most.
  const llmConfig = functionModel(() => 'x', { config: { max_tokens: 900_000 } })
  expect(explain(talk(3), fit(), { llmConfig }).reason).toBe(null)
})

it('refuses what is no history and no view', () => {
  expect(() => explain({} as never, fit())).toThrow('give a list of messages')
  expect(() => explain([], {} as never)).toThrow('what `fit` returns')
})
