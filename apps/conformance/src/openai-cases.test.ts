import type { ChatMessage } from '@x/interfaces'
import { openai } from '@x/provider-openai'
import { exchange } from '@x/testing/provider-contract'
import { expect, test } from 'vitest'

const whole = { id: 'x', model: 'gpt-4o', choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }

async function sent(messages: ChatMessage[]): Promise<unknown> {
  const { body } = await exchange(openai, { model: 'gpt-4o' }, { model: 'gpt-4o', messages }, { whole })
  return body['messages']
}

test('O7: a failed result says so in its text', async () => {
  const messages = await sent([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '' } }] },
    { role: 'tool', tool_call_id: 'c', content: 'Error: no' },
  ])
  expect(messages).toMatchObject([{}, {}, { role: 'tool', tool_call_id: 'c', content: 'Error: no' }])
})

test('O9: an image as a data URL keeps its media type', async () => {
  const url = 'data:image/png;base64,iVBORw0KGgo='
  const content: ChatMessage['content'] = [{ type: 'image_url', image_url: { url, detail: 'low' } }]
  expect(await sent([{ role: 'user', content }])).toEqual([{ role: 'user', content }])
})
