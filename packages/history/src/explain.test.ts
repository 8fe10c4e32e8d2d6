import { functionModel } from '@x/testing'
import type { ChatMessage } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { clearToolResults } from './views/clear.ts'
import { explain } from './explain.ts'
import { questionFor, toolRounds, summarizer, chatOf, textOf } from './fakes.fake.ts'
import { fit } from './fit.ts'
import { limitTokens } from './views/limit.ts'
import { summarize } from './views/summarize.ts'
import type { FittedHistory } from './views/view.ts'

it('shows that everything is sent while it fits', () => {
  const { rows, cuts, messages, tokensBefore, tokensAfter } = explain(chatOf(3), fit(), {
    limits: { contextWindow: 100_000 },
    systemMessage: 'Be brief.',
  })
  expect(cuts).toEqual([])
  expect(messages.length).toBe(7)
  expect(rows.every(({ fate }) => fate === 'sent')).toBe(true)
  expect(tokensAfter).toBe(tokensBefore)
})

it('shows the fate of each message, and of each tool result', () => {
  const history = [
    ...chatOf(10, 50),
    ...toolRounds(6, 100).map((message) =>
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

it('shows where a summary would stand, and asks no model', () => {
  const model = summarizer()
  const { rows, messages } = explain(chatOf(40, 50), fit(limitTokens(2000), summarize({ model })))
  expect(messages[0]!.content).toBe('[A summary would stand here.]')
  expect(rows.filter(({ fate }) => fate === 'summarized').length).toBeGreaterThan(20)
  expect(model.calls.length).toBe(0)
})

describe('after many turns', () => {
  const view = (): FittedHistory => fit(limitTokens({ total: 600, perMessage: 200 }), clearToolResults({ keep: 2 }))
  const stored = [
    ...chatOf(12, 30),
    ...toolRounds(14, 40),
    { role: 'assistant' as const, content: textOf(300) },
    ...chatOf(10),
  ]

  it('shows what an agent sent that asked before each of its messages', async () => {
    const [forExplain, forChat] = [view(), view()]
    const conversation = {}
    let sent: readonly ChatMessage[] = []
    const reports: { at: number }[] = []
    for (let at = 1; at <= stored.length; at++) {
      if (at < stored.length && stored[at]!.role !== 'assistant') continue
      const chosen = await forChat.choose(questionFor(stored.slice(0, at), { conversation }))
      sent = chosen.messages
      if (chosen.cut) reports.push({ at, ...chosen.cut.report })
    }
    const { messages, cuts, rows, tokensAfter } = explain(stored, forExplain)
    expect(cuts.length).toBeGreaterThan(3)
    expect(cuts).toEqual(reports)
    expect(messages).toEqual(sent)
    expect(tokensAfter).toBeLessThan(600)
    expect(new Set(rows.map(({ fate }) => fate))).toEqual(new Set(['left out', 'sent']))
  })

  it('shows the same after each cut, with its position in the stored history', () => {
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

  it('marks the messages of every summary as summarized', () => {
    const { rows, cuts, messages } = explain(chatOf(60, 30), fit(limitTokens(900), summarize()))
    expect(cuts.length).toBeGreaterThan(2)
    const from = rows.findIndex(({ fate }) => fate === 'sent')
    expect(rows.slice(0, from).every(({ fate }) => fate === 'summarized')).toBe(true)
    expect(from).toBeGreaterThan(rows.length / 2)
    expect(messages.filter(({ content }) => content === '[A summary would stand here.]').length).toBe(1)
  })
})

it('reserves at most half of a window for the answer', () => {
  const llmConfig = functionModel(() => 'x', { config: { max_tokens: 900_000 } })
  expect(explain(chatOf(3), fit(), { llmConfig }).cuts).toEqual([])
})

it('refuses values other than a history and a view', () => {
  expect(() => explain({} as never, fit())).toThrow('give a list of messages')
  expect(() => explain([], {} as never)).toThrow('what `fit` returns')
})
