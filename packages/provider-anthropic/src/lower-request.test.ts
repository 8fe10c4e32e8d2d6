import { expect, test } from 'vitest'
import { exchange } from '@x/testing/provider-contract'
import { anthropicFormat } from '@x/testing/anthropic'
import { anthropic } from './anthropic.ts'

test('tokens are counted by the endpoint for that, which is sent what they depend on', async () => {
  const sent: { url: string; headers: Headers; body: object }[] = []
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent.push({
      url: url as string,
      headers: new Headers(init?.headers),
      body: JSON.parse(init?.body as string) as object,
    })
    return Response.json({ input_tokens: 42 })
  }
  const client = anthropic.createClient({ model: 'claude-opus-5-5', apiKey: 'k', fetch })
  const tool = { type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } }
  const count = await client.countTokens!(
    {
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Hi' },
      ],
      tools: [tool],
      max_tokens: 9,
      stop: ['x'],
      user: 'u',
      betas: ['b-2026'],
    },
    {},
  )
  expect(count).toBe(42)
  expect(sent[0]!.url).toBe('https://api.anthropic.com/v1/messages/count_tokens')
  expect(sent[0]!.headers.get('anthropic-beta')).toBe('b-2026')
  expect(sent[0]!.body).toEqual({
    model: 'claude-opus-5-5',
    system: [{ type: 'text', text: 'Be short.' }],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
  })
})

test('a refusal is a failure with its kind', async () => {
  const fetch: typeof globalThis.fetch = async () =>
    Response.json({ type: 'error', error: { type: 'not_found_error', message: 'model: x' } }, { status: 404 })
  const client = anthropic.createClient({ model: 'x', apiKey: 'k', maxRetries: 0, fetch })
  await expect(client.countTokens!({ messages: [{ role: 'user', content: 'Hi' }] }, {})).rejects.toMatchObject({
    kind: 'not-found',
    status: 404,
  })
})

test.each([{ type: 'grammar' }, {}])(
  'X13: an unknown format of the answer is left out with a warning: %j',
  async (format) => {
    const warnings: string[] = []
    const body = { type: 'message', content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn' }
    const client = anthropic.createClient({
      model: 'claude-opus-5-5',
      apiKey: 'k',
      fetch: async () => Response.json(body),
    })
    for (const response_format of [format, { type: 'text' }]) {
      const params = { messages: [{ role: 'user' as const, content: 'Hi' }], response_format }
      await client.create(params, { warn: (_, text) => void warnings.push(text) })
    }
    const { type } = format
    expect(warnings).toEqual([`\`claude-opus-5-5\` does not take \`response_format: ${type}\`: it was left out`])
  },
)

test('files are cited where their part says so, images are not', async () => {
  const citations = { enabled: true }
  const fileOf = (type: string): object => ({ file: { filename: 'f', file_data: `data:${type};base64,aGk=` } })
  const types = ['text/plain', 'application/pdf', 'image/png']
  const content = types.map((type) => ({ type: 'file' as const, ...fileOf(type), citations })) as never
  const params = { model: 'claude-opus-5-5', messages: [{ role: 'user' as const, content }] }
  const { body } = await exchange(anthropic, { model: params.model }, params, {
    whole: anthropicFormat.whole({ text: 'Hi' }),
  })
  const [message] = body['messages'] as { content: { type: string; citations?: object }[] }[]
  expect(message!.content.map((block) => [block.type, block.citations])).toEqual([
    ['document', citations],
    ['document', citations],
    ['image', undefined],
  ])
})
