import type { ModelEvent, XEvent } from '@x/interfaces'
import { expect, it } from 'vitest'
import { Used } from './used.ts'

type AttemptEnd = Extract<XEvent, { type: 'modelAttemptEnd' }>

const attempt = (end: Partial<AttemptEnd> = {}): AttemptEnd => ({
  type: 'modelAttemptEnd',
  agent: 'assistant',
  chatId: '1',
  agentPath: null,
  id: '1.1',
  parentId: null,
  time: 0,
  ms: 1,
  outcome: 'ok',
  error: null,
  configId: 0,
  model: 'm',
  cached: false,
  sendings: 1,
  kind: null,
  usage: { promptTokens: 10, completionTokens: 5, totalTokens: 15 },
  cost: 0.25,
  ...end,
})

const started: XEvent = { ...attempt(), type: 'modelAttemptStart', messages: 1, digest: '' }
const piece = (event: ModelEvent): XEvent => ({
  type: 'modelDelta',
  agent: 'assistant',
  chatId: '1',
  agentPath: null,
  event,
})
const usage = piece({ type: 'usage', usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })

it('counts an answer once that reports its tokens while it comes', () => {
  const used = new Used()
  for (const event of [started, piece({ type: 'start', id: '1', model: 'm' }), usage, attempt()]) used.take(event)
  expect(used.shown).toMatchObject({ models: ['m'], promptTokens: 10, completionTokens: 5, cost: 0.25 })
})

it('counts tokens of a model without attempt events, and has no price for a stopped turn', () => {
  const used = new Used()
  used.take(usage)
  expect(used.shown).toMatchObject({ promptTokens: 10, completionTokens: 5, cost: 0, unpriced: false })
  used.end()
  expect(used.shown).toMatchObject({ promptTokens: 10, cost: 0, unpriced: true })
})

it('counts tokens and cost with each answer, also of a stopped turn', () => {
  const used = new Used()
  for (const event of [started, attempt()]) used.take(event)
  expect(used.shown).toEqual({ models: [], promptTokens: 10, completionTokens: 5, cost: 0.25, unpriced: false })
  used.take(attempt({ outcome: 'aborted', kind: 'aborted', cost: 0.5 }))
  used.end()
  expect(used.shown).toMatchObject({ promptTokens: 20, cost: 0.75, unpriced: false })
})

it('replaces the usage of the answers by that of the turn at its end', () => {
  const used = new Used()
  used.take(attempt())
  const model = { promptTokens: 12, completionTokens: 5, totalTokens: 17, cost: 0.3 }
  used.end({ totalCost: 0.3, models: { m: model } })
  expect(used.shown).toEqual({ models: ['m'], promptTokens: 12, completionTokens: 5, cost: 0.3, unpriced: false })
})

it('counts no cached answer and no unknown usage, and reports an unknown price', () => {
  const used = new Used()
  used.take(started)
  used.take(attempt({ cached: true }))
  used.take(attempt({ outcome: 'error', kind: 'server', usage: null, cost: null }))
  expect(used.shown).toMatchObject({ promptTokens: 0, cost: 0, unpriced: false })
  used.take(attempt({ cost: null }))
  used.end()
  expect(used.shown).toMatchObject({ promptTokens: 10, cost: 0, unpriced: true })
})
