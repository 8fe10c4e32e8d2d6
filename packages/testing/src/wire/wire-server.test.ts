import { expect, test } from 'vitest'
import { anthropicFormat } from '../anthropic/index.ts'
import { startWireServer } from './wire-server.ts'

const body = JSON.stringify({ model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] })

test('a key is asked for and never kept', async () => {
  await using server = await startWireServer(anthropicFormat, { steps: [{ reply: { text: 'Hello' } }] })
  const ask = async (key: string): Promise<number> => {
    const headers = { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
    return (await fetch(`${server.url}/v1/messages?beta=true`, { method: 'POST', headers, body })).status
  }
  expect(await ask('sk-secret')).toBe(200)
  expect(await ask('')).toBe(401)
  const [first, second] = server.requests
  expect(first).toMatchObject({
    path: '/v1/messages',
    query: { beta: 'true' },
    status: 200,
    headers: { 'x-api-key': '[redacted]' },
  })
  expect(second!.headers['x-api-key']).toBe('')
  expect(JSON.stringify(server.requests)).not.toContain('sk-secret')
})

test('packets of a stream arrive as they are, and it ends as it is told', async () => {
  const frames = anthropicFormat.frames({ text: 'Hello' })
  await using server = await startWireServer(anthropicFormat, {
    steps: [{ reply: { text: 'Hello' } }, { reply: { text: 'Hello' }, cutAfter: 2 }],
  })
  const ask = async (): Promise<string> => {
    const headers = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }
    const asked = JSON.stringify({ ...(JSON.parse(body) as object), stream: true })
    return await (await fetch(`${server.url}/v1/messages`, { method: 'POST', headers, body: asked })).text()
  }
  expect((await ask()).split('\n\n')).toHaveLength(frames.length + 1)
  expect((await ask()).split('\n\n')).toHaveLength(2 + 1)
})
