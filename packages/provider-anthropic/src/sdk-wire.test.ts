import { execFileSync } from 'node:child_process'
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

test('the SDK is loaded with the first request, not with the import', () => {
  const program = `import { registerHooks } from 'node:module'
const loaded = []
registerHooks({ load: (url, context, load) => (loaded.push(url), load(url, context)) })
const hasSdk = () => loaded.some((url) => url.includes('/node_modules/@anthropic-ai/sdk/'))
const { anthropic } = await import('@x/provider-anthropic')
const client = anthropic.createClient({ model: 'm', apiKey: 'k', fetch: async () => Response.json({}) })
const before = hasSdk()
await client.create({ messages: [{ role: 'user', content: 'Hi' }] }, {}).catch(() => {})
console.log(JSON.stringify([before, hasSdk()]))`
  const args = ['--conditions=@x/source', '--input-type=module', '-e', program]
  const printed = execFileSync(process.execPath, args, { cwd: import.meta.dirname, encoding: 'utf8' })
  expect(JSON.parse(printed)).toEqual([false, true])
})
