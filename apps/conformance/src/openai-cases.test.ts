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

const file = (more: object): ChatMessage['content'] => [{ type: 'file', file: more }]

test.each<[string, ChatMessage['content'], unknown]>([
  [
    'an image by its bytes, where its type is missing or wrong',
    [{ type: 'image_url', image_url: { url: 'data:image/jpg;base64,iVBORw0KGgo=' } }],
    [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }],
  ],
  [
    'a link as it is',
    [{ type: 'image_url', image_url: { url: 'https://x.org/a.png', detail: 'high' } }],
    [{ type: 'image_url', image_url: { url: 'https://x.org/a.png', detail: 'high' } }],
  ],
  [
    'a PDF with a name',
    file({ file_data: 'data:application/pdf;base64,JVBERi0=' }),
    [{ type: 'file', file: { filename: 'file.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } }],
  ],
  [
    'a PDF in plain base64',
    file({ filename: 'a.pdf', file_data: 'JVBERi0=' }),
    [{ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } }],
  ],
  [
    'a text, which no file may be, as text',
    file({ filename: 'notes.txt', file_data: 'data:text/plain;base64,w6kgb25l' }),
    [{ type: 'text', text: 'notes.txt:\né one' }],
  ],
  ['a file that the provider keeps', file({ file_id: 'file-1' }), [{ type: 'file', file: { file_id: 'file-1' } }]],
  [
    'a sound',
    [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }],
    [{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }],
  ],
])('O9: %s', async (_, content, wanted) => {
  expect(await sent([{ role: 'user', content }])).toEqual([{ role: 'user', content: wanted }])
})

test.each([
  ['gpt-5-mini', 'flex', true],
  ['gpt-5.2', 'priority', true],
  ['o3', 'flex', true],
  ['gpt-4o', 'flex', false],
  ['gpt-4o', 'priority', true],
  ['gpt-5-nano', 'priority', false],
  ['gpt-5-chat-latest', 'flex', false],
  ['o3-mini', 'flex', false],
  ['gpt-4o', 'auto', true],
  ['gpt-4o', 'standard_only', false],
  ['llama-3.3-70b-versatile', 'flex', true],
])('O27: %s asked for the tier %s: sent %s', async (model, tier, isSent) => {
  const asked = { model, messages: [{ role: 'user' as const, content: 'Hi' }], service_tier: tier }
  const { body, warnings } = await exchange(openai, { model }, asked, { whole })
  expect(body['service_tier']).toBe(isSent ? tier : undefined)
  expect(warnings.map(([topic]) => topic)).toEqual(isSent ? [] : ['parameter'])
})
