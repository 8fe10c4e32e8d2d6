import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { createAgent } from '@x/kit'
import { scriptedModel } from '@x/testing'
import { settings } from './shop.ts'

/** An agent whose model asks for an order, and then ends. */
const shopThatAsks = (order: number) => {
  const call = { id: '1', function: { name: 'order_status', arguments: JSON.stringify({ order }) } }
  return createAgent({ ...settings, model: scriptedModel([{ tool_calls: [call] }, 'That is all.']) })
}

test('finds an order', async () => {
  const { text, toolCalls } = await shopThatAsks(17).run('Where is my order 17?')
  equal(toolCalls[0]?.result, 'sent on Monday')
  equal(text, 'That is all.')
})

test('refuses half an order', async () => {
  const { toolCalls } = await shopThatAsks(0.5).run('Where is my order?')
  equal(toolCalls[0]?.error?.code, 'tool-failed')
})
