import type { ChatMessage } from '@x/interfaces'
import { expect, it } from 'vitest'
import { summarizer, chatOf } from './fakes.fake.ts'
import { fit } from './fit.ts'
import { historyHook } from './history-hook.ts'
import { limitTokens } from './views/limit.ts'
import { summarize } from './views/summarize.ts'

it('returns the very list if nothing is cut', () => {
  const messages = chatOf(3)
  const hook = historyHook(fit(limitTokens(10_000)))
  expect(hook(messages)).toBe(messages)
  expect(hook([])).toEqual([])
})

it('returns a cut list, and keeps the cut in the next turn', async () => {
  const messages = chatOf(40, 50)
  const model = summarizer()
  const hook = historyHook(fit(limitTokens(2000), summarize({ model })))
  const one = await hook(messages)
  expect(one.length).toBeLessThan(messages.length)
  const more: ChatMessage[] = [...messages, { role: 'assistant', content: 'ok' }]
  const two = await hook(more)
  expect(two.slice(0, one.length)).toEqual(one)
  expect(model.calls.length).toBe(1)
})
