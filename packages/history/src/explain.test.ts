import { functionModel } from '@x/testing'
import type { ChatMessage } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { clearToolResults } from './views/clear-tool-results.ts'
import { explain } from './explain.ts'
import { asked, rounds, summarizer, talk, words } from './fakes.fake.ts'
import { fit } from './fit.ts'
import type { FittedHistory } from './fitted-history.ts'
import { limitTokens } from './views/limit-tokens.ts'
import { summarize } from './views/summarize.ts'

it('tells that everything is sent where it fits', () => {
  const { rows, cuts, messages, tokensBefore, tokensAfter } = explain(talk(3), fit(), {
    limits: { contextWindow: 100_000 },
    systemMessage: 'Be brief.',
  })
  expect(cuts).toEqual([])
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
  const { rows, cuts } = explain(history, fit(limitTokens(900), clearToolResults({ keep: 1 })))
  expect(cuts[0]).toMatchObject({ reason: 'tokens', tokensBefore: expect.any(Number) })
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

describe('after many turns', () => {
  const view = (): FittedHistory => fit(limitTokens({ total: 600, perMessage: 200 }), clearToolResults({ keep: 2 }))
  const stored = [...talk(12, 30), ...rounds(14, 40), { role: 'assistant' as const, content: words(300) }, ...talk(10)]

  it('shows what an agent has sent that asked before each of its messages', async () => {
    const [rehearsed, lived] = [view(), view()]
    const conversation = {}
    let sent: readonly ChatMessage[] = []
    const reports: { at: number }[] = []
    for (let at = 1; at <= stored.length; at++) {
      if (at < stored.length && stored[at]!.role !== 'assistant') continue
      const chosen = await lived.choose(asked(stored.slice(0, at), { conversation }))
      sent = chosen.messages
      if (chosen.cut) reports.push({ at, ...chosen.cut.report })
    }
    const { messages, cuts, rows, tokensAfter } = explain(stored, rehearsed)
    expect(cuts.length).toBeGreaterThan(3)
    expect(cuts).toEqual(reports)
    expect(messages).toEqual(sent)
    expect(tokensAfter).toBeLessThan(600)
    expect(new Set(rows.map(({ fate }) => fate))).toEqual(new Set(['left out', 'sent']))
  })

  it('shows the same after each cut, and says where each was in the history as it is stored', () => {
    const history = stored.map((message) =>
      message.role === 'tool'
        ? {
            role: 'tool' as const,
            tool_responses: [
              { tool_call_id: message.tool_call_id!, role: 'tool' as const, content: message.content as string },
            ],
            content: '',
          }
        : message,
    )
    const { cuts } = explain(history, view())
    for (const [index, { at }] of cuts.entries()) {
      const then = explain(history.slice(0, at), view())
      expect(then.cuts).toEqual(cuts.slice(0, index + 1))
      expect(then.tokensAfter).toBe(cuts[index]!.tokensAfter)
    }
    const cleared = explain(history.slice(0, 46), view()).rows.filter(({ fate }) => fate === 'cleared')
    expect(cleared.length).toBeGreaterThan(0)
  })

  it('says of messages of all summaries that they were summed up', () => {
    const { rows, cuts, messages } = explain(talk(60, 30), fit(limitTokens(900), summarize()))
    expect(cuts.length).toBeGreaterThan(2)
    const from = rows.findIndex(({ fate }) => fate === 'sent')
    expect(rows.slice(0, from).every(({ fate }) => fate === 'summarized')).toBe(true)
    expect(from).toBeGreaterThan(rows.length / 2)
    expect(messages.filter(({ content }) => content === '[A summary would stand here.]').length).toBe(1)
  })
})

it('knows the limits of an answer', () => {
  // Half of a window goes to an answer at most.
  const llmConfig = functionModel(() => 'x', { config: { max_tokens: 900_000 } })
  expect(explain(talk(3), fit(), { llmConfig }).cuts).toEqual([])
})

it('refuses what is no history and no view', () => {
  expect(() => explain({} as never, fit())).toThrow('give a list of messages')
  expect(() => explain([], {} as never)).toThrow('what `fit` returns')
})
