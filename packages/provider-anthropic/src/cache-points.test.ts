import type { ChatMessage, ModelParams } from '@x/interfaces'
import { anthropicFormat } from '@x/testing/anthropic'
import { exchange, type Exchange } from '@x/testing/provider-contract'
import { expect, test } from 'vitest'
import { anthropic } from './anthropic.ts'

const model = 'claude-haiku-4-5'
const HI: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const CALL = { id: 'toolu_1', type: 'function' as const, function: { name: 'weather', arguments: '{"city":"Rome"}' } }
const whole = anthropicFormat.whole({ text: 'Hello' })

const asked = async (params: Partial<ModelParams>): Promise<Exchange> =>
  await exchange(anthropic, { model }, { model, messages: HI, ...params }, { whole })

test.each<[string, (string | undefined)[], object | undefined, (string | undefined)[]]>([
  [
    'a short mark before one for an hour lasts an hour',
    ['5m', undefined, '1h', '5m'],
    undefined,
    ['1h', '1h', '1h', '5m'],
  ],
  [
    'a mark for an hour that was one too many changes nothing',
    ['1h', '5m', '5m', '5m', '5m'],
    undefined,
    ['5m', '5m', '5m', '5m'],
  ],
  [
    'the mark of the request itself is one of them',
    ['5m', '5m', '5m', '5m'],
    { type: 'ephemeral' },
    ['5m', '5m', '5m'],
  ],
  ['and comes last', ['5m', '5m'], { type: 'ephemeral', ttl: '1h' }, ['1h', '1h']],
])('A10: %s', async (_, lives, automatic, wanted) => {
  const parts = lives.map((ttl, n) => ({
    type: 'text' as const,
    text: String(n),
    cache_control: { type: 'ephemeral', ...(ttl && { ttl }) },
  }))
  const { body } = await asked({
    messages: [{ role: 'user', content: parts }],
    ...(automatic && { cache_control: automatic }),
  })
  const [{ content }] = body['messages'] as [{ content: { cache_control?: { ttl?: string } }[] }]
  expect(content.flatMap(({ cache_control: mark }) => (mark ? [mark.ttl ?? '5m'] : []))).toEqual(wanted)
  expect(body['cache_control']).toEqual(automatic)
})

test('A10: marks inside a result count, and stand before it', async () => {
  const cache_control = { type: 'ephemeral' }
  const parts = ['a', 'b', 'c', 'd', 'e'].map((text) => ({ type: 'text' as const, text, cache_control }))
  const { body } = await asked({
    messages: [
      ...HI,
      { role: 'assistant', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'toolu_1', content: parts },
      {
        role: 'user',
        content: [{ type: 'text', text: 'So?', cache_control: { type: 'ephemeral', ttl: '1h' } } as never],
      },
    ],
  })
  const sent = JSON.stringify(body['messages'])
  expect([sent.match(/cache_control/gu)?.length, sent.match(/"ttl":"1h"/gu)?.length]).toEqual([4, 4])
  expect(sent).not.toMatch(/"text":"[ab]","cache_control/u)
})
