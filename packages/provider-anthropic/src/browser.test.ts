import { expect, onTestFinished, test } from 'vitest'
import { createAnthropic } from './anthropic.ts'

test('a client is made in a page too: whether its key may be seen there is the program’s decision', async () => {
  Object.assign(globalThis, { window: { document: {} }, document: {} })
  onTestFinished(() => ['window', 'document'].forEach((name) => Reflect.deleteProperty(globalThis, name)))
  const sent: string[] = []
  const content = [{ type: 'text', text: 'Hello' }]
  const answer = { id: 'm', type: 'message', role: 'assistant', model: 'any', content, stop_reason: 'end_turn' }
  const fetch = async (url: string | URL | Request): Promise<Response> => {
    sent.push(url instanceof Request ? url.url : url.toString())
    return Response.json({ ...answer, usage: { input_tokens: 1, output_tokens: 1 } })
  }
  const client = createAnthropic({ fetch }).createClient({ apiKey: 'key-of-a-test' })
  const messages = [{ role: 'user' as const, content: 'Hi' }]
  expect(await client.create({ model: 'any', messages }, { timeout: 5 })).toMatchObject({
    choices: [{ message: { content: 'Hello' } }],
  })
  expect(sent).toEqual(['https://api.anthropic.com/v1/messages'])
})
