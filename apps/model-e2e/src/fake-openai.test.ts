import { ModelWrapper } from '@x/model'
import { createOpenAI } from '@x/provider-openai'
import { startFakeOpenAI, type ServerFailure } from '@x/testing'
import { describe, expect, test } from 'vitest'

const messages = [{ role: 'user' as const, content: 'hi' }]
const provider = createOpenAI({ clock: { sleep: async () => {}, random: () => 0 } })
const io = { send: () => {}, input: () => '' }

/** What the published fake server can do wrong, and what each is for a complete and for a streamed call. */
const FAILURES: readonly (readonly [ServerFailure, string, string])[] = [
  ['429', 'rate-limit', 'rate-limit'],
  ['quota', 'quota', 'quota'],
  ['500', 'server', 'server'],
  ['503', 'overloaded', 'overloaded'],
  ['401', 'auth', 'auth'],
  ['403', 'auth', 'auth'],
  ['404', 'not-found', 'not-found'],
  ['400', 'invalid-request', 'invalid-request'],
  ['context-overflow', 'context-overflow', 'context-overflow'],
  ['reset', 'connection', 'connection'],
  ['hang', 'timeout', 'timeout'],
  ['malformed', 'server', 'server'],
  ['error-frame', 'server', 'server'],
  ['html', 'server', 'server'],
  ['empty', 'server', 'server'],
]

describe.each(FAILURES)('%s', (failure, complete, streamed) => {
  test('fails over, complete and streamed', async () => {
    await using server = await startFakeOpenAI({ models: { faulty: { failure }, good: 'fine' } })
    const entry = { baseUrl: server.url, apiKey: 'sk-e2e-0123456789' }
    const limit = failure === 'hang' ? { timeout: 0.05 } : {}
    const configList = [
      { model: 'faulty', ...entry, ...limit },
      { model: 'good', ...entry },
    ]
    const model = new ModelWrapper({ providers: [provider], configList, cacheSeed: null, io })
    const whole = await model.create({ messages })
    expect(whole.attempts).toMatchObject([{ configId: 0, kind: complete }])
    const events = model.createStream({ messages })
    let item = await events.next()
    while (!item.done) item = await events.next()
    expect(item.value.attempts).toMatchObject([{ configId: 0, kind: streamed }])
    expect([whole, item.value].map(({ choices }) => choices[0]!.message.content)).toEqual(['fine', 'fine'])
    expect(item.value.usage).toEqual(whole.usage)
  })
})

test('an answer without the mark at its end is whole', async () => {
  await using server = await startFakeOpenAI({ replies: { failure: 'no-done', answer: { content: 'whole' } } })
  const configList = [{ model: 'm', baseUrl: server.url, apiKey: 'k' }]
  const events = new ModelWrapper({ providers: [provider], configList, cacheSeed: null, io }).createStream({ messages })
  let item = await events.next()
  while (!item.done) item = await events.next()
  expect(item.value.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'whole' } })
})

test('the hosted variant', async () => {
  await using server = await startFakeOpenAI({ replies: 'from a deployment' })
  const configList = [
    { model: 'gpt-4.1', apiType: 'azure', baseUrl: server.origin, apiVersion: '2024-10-21', apiKey: 'k' },
  ]
  const model = new ModelWrapper({ providers: [provider], configList, cacheSeed: null, io })
  expect((await model.create({ messages })).choices[0]!.message.content).toBe('from a deployment')
})

test('a conversation of every kind of message is one that a strict server takes', async () => {
  await using server = await startFakeOpenAI({ replies: 'taken' })
  const configList = [{ model: 'gpt-5-mini', baseUrl: server.url, apiKey: 'k' }]
  const model = new ModelWrapper({ providers: [provider], configList, cacheSeed: null, io })
  const call = (id: string, name: string) => ({ id, type: 'function' as const, function: { name, arguments: '' } })
  const response = await model.create({
    max_tokens: 50,
    temperature: 0,
    tools: [{ type: 'function', function: { name: 'weather.today', parameters: { type: 'object', properties: {} } } }],
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', name: 'Ann O’Hara', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [call('functions.w:0', 'weather.today'), call('x'.repeat(64), 'lost')],
      },
      {
        role: 'tool',
        tool_call_id: 'functions.w:0',
        content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }],
      },
      { role: 'assistant', content: null },
      { role: 'user', content: 'And?' },
    ],
  })
  expect(response.choices[0]!.message.content).toBe('taken')
})
