import type { ChatMessage, ConfigEntry } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { aiSdk } from '@x/provider-ai-sdk'
import { anthropic } from '@x/provider-anthropic'
import { anthropicFormat } from '@x/testing/anthropic'
import { startWireServer } from '@x/testing/wire'
import { expect, test } from 'vitest'

type AiSdkModel = Parameters<typeof aiSdk>[0]

/** A model of the AI SDK that answers with this content, or throws. */
function model(provider: string, answer: Error | readonly object[]): { model: AiSdkModel; calls: object[] } {
  const calls: object[] = []
  const doGenerate = async (options: object): Promise<object> => {
    calls.push(options)
    if (answer instanceof Error) throw answer
    const usage = { inputTokens: { total: 20 }, outputTokens: { total: 9 } }
    return { content: answer, finishReason: { unified: 'stop', raw: 'end' }, usage, warnings: [] }
  }
  const doStream = async (): Promise<{ stream: ReadableStream }> => ({ stream: new ReadableStream() })
  return {
    model: { specificationVersion: 'v4', provider, modelId: 'm-1', supportedUrls: {}, doGenerate, doStream },
    calls,
  }
}

const IO = { send: () => {}, input: () => '' }
const QUESTION: ChatMessage = { role: 'user', content: 'Why?' }

test('models of the AI SDK stand in a config list, with parameters, failover and prices', async () => {
  const broken = model('acme.chat', new Error('What?'))
  const other = model('other.chat', [{ type: 'text', text: 'Because.' }])
  const price: ConfigEntry['price'] = { input: 1, output: 10 }
  const configList = [aiSdk(broken.model), aiSdk(other.model, { temperature: 0.5, price })]
  const answer = await llmConfig({ configList, cacheSeed: null })
    .createModel()
    .create({ messages: [QUESTION] })
  expect(answer).toMatchObject({ configId: 1, cost: (20 + 90) / 1_000_000 })
  expect(answer.attempts).toMatchObject([{ kind: 'server' }])
  expect(other.calls).toMatchObject([{ temperature: 0.5 }])
})

test('a conversation goes on from a model of the AI SDK to another provider, and back', async () => {
  const thought = { type: 'reasoning', text: 'Hm.', providerMetadata: { acme: { signature: 's' } } }
  const call = { type: 'tool-call', toolCallId: 'call/1', toolName: 'weather', input: '{"city":"Rome"}' }
  const acme = model('acme.chat', [thought, { type: 'text', text: 'I look.' }, call])
  await using claude = await startWireServer(anthropicFormat, { steps: [{ reply: { text: 'Sunny.' } }] })
  const first = llmConfig({ configList: [aiSdk(acme.model)], cacheSeed: null }).createModel({ io: IO })
  const entry = anthropic('claude-haiku-4-5', { apiKey: 'key-of-the-test', baseUrl: claude.url })
  const second = llmConfig({ configList: [entry], cacheSeed: null }).createModel({ io: IO })

  const asked = (await first.create({ messages: [QUESTION] })).choices[0]!.message
  const messages: ChatMessage[] = [QUESTION, asked]
  messages.push({ role: 'tool', tool_call_id: asked.tool_calls![0]!.id, content: '22 degrees' })
  const answered = (await second.create({ messages })).choices[0]!.message
  expect(answered.content).toBe('Sunny.')
  await first.create({ messages: [...messages, answered, QUESTION] })
  expect(acme.calls[1]).toMatchObject({
    prompt: [
      { role: 'user' },
      {
        role: 'assistant',
        content: [{ type: 'reasoning', text: 'Hm.' }, { text: 'I look.' }, { toolCallId: expect.any(String) }],
      },
      { role: 'tool' },
      { role: 'assistant', content: [{ type: 'text', text: 'Sunny.' }] },
      { role: 'user' },
    ],
  })
})
