import type { ModelAnswer, ModelClient, ModelParams, XEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { expect, test } from 'vitest'
import { createMemoryCache } from './memory-cache.ts'
import { ModelWrapper } from './model-wrapper.ts'

const answerOf = (model: string, text: string): ModelAnswer => ({
  id: 'a',
  model,
  created: 0,
  choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
})

function scripted(model: string, replies: (string | Error)[]): { provider: never; calls: ModelParams[] } {
  const calls: ModelParams[] = []
  const client: ModelClient = {
    create(params) {
      calls.push(params)
      const reply = replies.length > 1 ? replies.shift() : replies[0]
      if (reply instanceof Error) throw reply
      return answerOf(model, reply ?? '')
    },
    messageRetrieval: (answer) => answer.choices.map(({ message }) => message.content as string),
    getUsage: (a) => ({ model: a.model, promptTokens: 10, completionTokens: 5, totalTokens: 15, cost: 0 }),
    cost: () => 0.5,
  }
  return { provider: { apiTypes: [model], specVersion: 1, createClient: () => client } as never, calls }
}

test('fails over and caches', async () => {
  const a = scripted('a', [new XError('model-failed', 'no sk-abcdefghijklmnop', { kind: 'rate-limit' })])
  const b = scripted('b', ['hi', 'there'])
  const events: XEvent[] = []
  const model = new ModelWrapper({
    providers: [a.provider, b.provider],
    configList: [
      { model: 'a', apiType: 'a', apiKey: 'sk-abcdefghijklmnop' },
      { model: 'b', apiType: 'b' },
    ],
    cache: createMemoryCache(),
    io: { send: (e) => void events.push(e), input: () => '' },
  })
  const messages = [{ role: 'user' as const, content: 'x' }]
  const response = await model.create({ messages })
  expect(response).toMatchObject({ configId: 1, cached: false, cost: 0.5 })
  expect(response.attempts).toMatchObject([{ kind: 'rate-limit', message: 'no [redacted]' }])
  const again = model.createSync({ messages })
  expect(again.cached).toBe(true)
  const deltas = []
  for await (const event of model.createStream({ messages })) deltas.push(event)
  expect(deltas.map(({ type }) => type)).toEqual(['start', 'text-delta', 'finish', 'usage'])
  expect(model.actualUsageSummary!.totalCost).toBe(0.5)
  expect(model.totalUsageSummary!.totalCost).toBe(1.5)
  expect(events).toEqual([])
  const failing = new ModelWrapper({
    providers: [a.provider],
    configList: [{ model: 'a', apiType: 'a' }],
    cacheSeed: null,
  })
  await expect(failing.create({ messages })).rejects.toSatisfy((e) => isXError(e, 'model-failed'))
})
