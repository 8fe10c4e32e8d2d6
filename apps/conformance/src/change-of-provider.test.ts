import type { ChatMessage, ConfigEntry, ModelAnswer } from '@x/interfaces'
import { ModelWrapper } from '@x/model'
import { anthropic } from '@x/provider-anthropic'
import { google } from '@x/provider-google'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'
import { anthropicFormat } from '@x/testing/anthropic'
import { googleFormat } from '@x/testing/google'
import { responsesFormat } from '@x/testing/openai'
import { deepFreeze, longHistory } from '@x/testing/provider-contract'
import { startWireServer, type PlainReply } from '@x/testing/wire'
import { expect, test } from 'vitest'

const silent = { send: () => {}, input: () => '' }

async function ask(entry: ConfigEntry, messages: readonly ChatMessage[]): Promise<ModelAnswer> {
  const model = new ModelWrapper({
    providers: [openai, anthropic, google],
    configList: [{ apiKey: 'key', maxRetries: 0, cacheSeed: null, ...entry }],
    io: silent,
  })
  return await model.create({ messages: [...messages] })
}

test('four strict wire formats take the same twelve messages, always as the same bytes', async () => {
  const messages = deepFreeze(longHistory())
  await using one = await startWireServer(anthropicFormat, { steps: [{ reply: { text: 'ok' } }] })
  await using two = await startWireServer(googleFormat, { steps: [{ reply: { text: 'ok' } }] })
  await using three = await startFakeOpenAI({ strict: true, replies: ['ok', 'ok', 'ok', 'ok'] })
  const entries: ConfigEntry[] = [
    { apiType: 'anthropic', model: 'claude-haiku-4-5', baseUrl: one.url },
    { apiType: 'anthropic', model: 'claude-opus-4-6', baseUrl: one.url },
    { apiType: 'google', model: 'gemini-2.5-flash', baseUrl: two.url },
    { apiType: 'google', model: 'gemini-3-pro-preview', baseUrl: two.url, sdk: 'genai' },
    { apiType: 'openai', model: 'gpt-4o', baseUrl: three.url },
    { apiType: 'openai', model: 'gpt-5.5', api: 'responses', baseUrl: three.url },
  ]
  for (const entry of entries) {
    const first = await ask(entry, messages)
    const second = await ask(entry, structuredClone(messages))
    expect([first.choices[0]!.message.content, second.choices[0]!.message.content]).toEqual(['ok', 'ok'])
  }
  for (const { requests } of [one, two, three]) {
    for (let n = 0; n < requests.length; n += 2) expect(requests[n + 1]!.body).toEqual(requests[n]!.body)
  }
  expect(messages).toEqual(longHistory())
})

test('a conversation goes from one provider to the next and back, with calls of each', async () => {
  const call = (n: number): PlainReply => ({
    reasoning: { text: 'I think.', signature: `c2ln${n}` },
    text: 'I look.',
    calls: [
      { name: 'weather', args: { n } },
      { name: 'weather', args: { n: -n } },
    ],
  })
  await using one = await startWireServer(anthropicFormat, { steps: (_, index) => ({ reply: call(index) }) })
  await using two = await startWireServer(googleFormat, { steps: (_, index) => ({ reply: call(index) }) })
  const entries: ConfigEntry[] = [
    { apiType: 'anthropic', model: 'claude-opus-4-6', baseUrl: one.url },
    { apiType: 'google', model: 'gemini-3-pro-preview', baseUrl: two.url },
  ]
  const messages: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
  for (let turn = 0; turn < 8; turn++) {
    const { choices } = await ask(entries[turn % 2]!, deepFreeze(structuredClone(messages)))
    const { message } = choices[0]!
    expect(message.tool_calls!.length).toBe(2)
    messages.push(message, {
      role: 'tool',
      content: 'both',
      tool_responses: message.tool_calls!.map(({ id }) => ({
        role: 'tool',
        content: 'x',
        ...(id && { tool_call_id: id }),
      })),
    })
  }
  // What a provider signed goes back to it, and to nobody else.
  const last = JSON.stringify([one.requests.at(-1)!.body, two.requests.at(-1)!.body])
  expect(last.match(/c2ln\d/gu)?.length).toBe(6)
  expect(JSON.stringify(one.requests.at(-1)!.body)).toContain('"signature":"c2ln0"')
  expect(JSON.stringify(two.requests.at(-1)!.body)).toContain('"thoughtSignature":"c2ln0"')
})

test('a conversation crosses three providers and both APIs of OpenAI, in any order', async () => {
  const reply = (n: number): PlainReply => ({
    reasoning: { text: 'I think.', signature: `c2ln${n}` },
    text: 'I look.',
    calls: [{ id: `id-${n}`, name: 'weather', args: { n } }],
  })
  await using one = await startWireServer(anthropicFormat, { steps: (_, index) => ({ reply: reply(index) }) })
  await using two = await startWireServer(googleFormat, { steps: (_, index) => ({ reply: reply(index) }) })
  await using three = await startWireServer(responsesFormat, { steps: (_, index) => ({ reply: reply(index) }) })
  await using four = await startFakeOpenAI({
    strict: true,
    replies: ({ index }) => ({
      content: 'I look.',
      tool_calls: [{ id: `chat-${index}`, function: { name: 'weather', arguments: '{}' } }],
    }),
  })
  const entries: ConfigEntry[] = [
    { apiType: 'openai', model: 'gpt-5.5', api: 'responses', baseUrl: three.url },
    { apiType: 'anthropic', model: 'claude-opus-4-6', baseUrl: one.url },
    { apiType: 'openai', model: 'gpt-5.5', api: 'chat', baseUrl: four.url, reasoning_effort: 'none' },
    { apiType: 'google', model: 'gemini-3-pro-preview', baseUrl: two.url },
    { apiType: 'openai', model: 'gpt-5.5', api: 'responses', baseUrl: three.url },
    { apiType: 'openai', model: 'gpt-5.5', api: 'chat', baseUrl: four.url, reasoning_effort: 'none' },
  ]
  const messages: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
  for (let turn = 0; turn < 18; turn++) {
    const { choices } = await ask(entries[turn % entries.length]!, deepFreeze(structuredClone(messages)))
    const { message } = choices[0]!
    messages.push(message, {
      role: 'tool',
      content: 'x',
      tool_responses: message.tool_calls!.map(({ id }) => ({ role: 'tool', content: 'x', tool_call_id: id })),
    })
  }
  const last = three.requests.at(-1)!.body as { input: { type?: string; encrypted_content?: string }[] }
  const sealed = last.input.flatMap(({ encrypted_content: text }) => text ?? [])
  expect(sealed).toEqual(['c2ln0', 'c2ln1', 'c2ln2', 'c2ln3', 'c2ln4'])
})
