import type { ChatMessage, ConfigEntry, ModelClient } from '@x/interfaces'
import { expect, test } from 'vitest'
import { createOpenAI } from './openai.ts'
import { wholeAnswer } from './wire.fake.ts'

/** A client whose endpoint answers with its own address, and the addresses that were asked with their bodies. */
function addressed(config: ConfigEntry): { readonly client: ModelClient; readonly asked: string[] } {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname } = new URL(input)
    asked.push(`${pathname} ${JSON.stringify(JSON.parse((init?.body as string | undefined) ?? 'null'))}`)
    if (!pathname.includes('/responses/')) return Response.json(wholeAnswer())
    const id = pathname.split('/').at(-1)
    const content = [{ type: 'output_text', text: `answer of ${id}`, annotations: [] }]
    const output = [{ type: 'message', id: 'm', role: 'assistant', status: 'completed', content }]
    return Response.json({ id, object: 'response', status: 'completed', model: 'gpt-5-mini', output })
  }
  return { client: createOpenAI().createClient({ model: 'gpt-5-mini', apiKey: 'k', fetch, ...config }), asked }
}

const messages: ChatMessage[] = [{ role: 'user', content: 'hello' }]

test('answers in the background that are asked for at once are each their own', async () => {
  const { client } = addressed({ api: 'responses' })
  const answers = await Promise.all(
    ['resp_1', 'resp_2', 'resp_3'].map(async (known) => {
      const background = { known, keep() {} }
      const answer = await client.create({ messages, background: true }, { background })
      return answer.choices[0]!.message.content
    }),
  )
  expect(answers).toEqual(['answer of resp_1', 'answer of resp_2', 'answer of resp_3'])
})

test('requests that wait for their keys at once go each to the address of its model', async () => {
  const azure = { apiType: 'azure', baseUrl: 'https://a.openai.azure.com', apiVersion: '2025-01-01-preview' } as const
  const { client, asked } = addressed({ ...azure, apiKey: async () => 'k' })
  await Promise.all(['one', 'two'].map(async (model) => await client.create({ model, messages }, {})))
  expect(asked.map((each) => each.split(' ')[0])).toEqual([
    '/openai/deployments/one/chat/completions',
    '/openai/deployments/two/chat/completions',
  ])
})
