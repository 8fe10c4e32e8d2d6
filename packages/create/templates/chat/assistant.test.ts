import { deepStrictEqual, match, strictEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { scriptedModel } from '@x/testing'
import { createAssistant } from './assistant.ts'
import { simulated } from './simulated.ts'

test('the assistant calls its tool, and answers with what the tool said', async () => {
  const model = scriptedModel([
    { tool_calls: [{ id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }] },
    'Take a raincoat.',
  ])
  const { text, toolCalls } = await createAssistant(model).run('What should I wear in Oslo?')
  strictEqual(text, 'Take a raincoat.')
  deepStrictEqual(
    toolCalls.map(({ name, arguments: args }) => [name, args]),
    [['weather', { city: 'Oslo' }]],
  )
  match(JSON.stringify(model.calls[1]?.messages.at(-1)), /light rain/)
})

test('the simulated model calls the tool too', async () => {
  const { text } = await createAssistant(simulated).run('What is the weather in Oslo?')
  match(text, /light rain and 6 degrees in Oslo/)
})
