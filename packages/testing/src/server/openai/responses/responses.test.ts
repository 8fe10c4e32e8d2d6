import { describe, expect, it, onTestFinished } from 'vitest'
import type { ServerReply } from '../../reply.ts'
import type { FakeOpenAI } from '../fake-openai.ts'
import { startFakeOpenAI, type FakeOpenAIOptions } from '../start-fake-openai.ts'

async function start(options: FakeOpenAIOptions): Promise<FakeOpenAI> {
  const server = await startFakeOpenAI(options)
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server
}

const post = (server: FakeOpenAI, body: object = {}, path: string = '/v1/responses'): Promise<Response> =>
  fetch(`${server.origin}${path}`, { method: 'POST', body: JSON.stringify({ model: 'm', input: 'hi', ...body }) })

interface Frame {
  readonly event: string | undefined
  readonly data: { readonly type: string; readonly sequence_number: number; readonly [key: string]: unknown }
}

async function frames(server: FakeOpenAI, body: object = {}): Promise<Frame[]> {
  const text = await (await post(server, { stream: true, ...body })).text()
  return text
    .split('\n\n')
    .filter(Boolean)
    .map((frame) => {
      const [, event, data = ''] = /^(?:event: (\S+)\n)?data: (.*)$/su.exec(frame) ?? []
      return { event, data: JSON.parse(data) as Frame['data'] }
    })
}

const reply: ServerReply = {
  reasoning_content: 'I think.',
  content: 'Hello there',
  tool_calls: [{ id: 'c1', function: { name: 'add', arguments: '{"a":1}' } }],
  items: [{ id: 'ws_1', type: 'web_search_call', status: 'completed' }],
  usage: { prompt: 9, completion: 4, cached: 3, reasoning: 2 },
}

describe('an answer by the Responses API', () => {
  it('gives a complete answer with its items in order, and sealed reasoning on request', async () => {
    const server = await start({ replies: reply })
    const answer = await (await post(server, { include: ['reasoning.encrypted_content'] })).json()
    expect(answer).toMatchObject({
      object: 'response',
      status: 'completed',
      output: [
        { type: 'reasoning', encrypted_content: 'sealed-1', summary: [{ text: 'I think.' }] },
        { type: 'web_search_call' },
        { type: 'message', content: [{ type: 'output_text', text: 'Hello there' }] },
        { type: 'function_call', call_id: 'c1', name: 'add', arguments: '{"a":1}' },
      ],
      usage: {
        input_tokens: 9,
        output_tokens: 4,
        total_tokens: 13,
        input_tokens_details: { cached_tokens: 3 },
        output_tokens_details: { reasoning_tokens: 2 },
      },
    })
    const [reasoning] = ((await (await post(server)).json()) as { output: object[] }).output
    expect(reasoning).not.toHaveProperty('encrypted_content')
  })

  it('streams typed events, numbered in order, and ends with the whole answer', async () => {
    const server = await start({ replies: reply })
    const sent = await frames(server)
    expect(sent.every(({ event, data }) => event === data.type)).toBe(true)
    expect(sent.map(({ data }) => data.sequence_number)).toEqual(sent.map((_, n) => n))
    const types = sent.map(({ data }) => data.type)
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
    expect(types.filter((type) => type === 'response.output_item.done')).toHaveLength(4)
    const pieces = (type: string): string =>
      sent.flatMap(({ data }) => (data.type === type ? [data['delta'] as string] : [])).join('')
    expect([
      pieces('response.reasoning_summary_text.delta'),
      pieces('response.output_text.delta'),
      pieces('response.function_call_arguments.delta'),
    ]).toEqual(['I think.', 'Hello there', '{"a":1}'])
    const whole = (await (await post(server)).json()) as { output: unknown }
    expect(sent.at(-1)!.data).toMatchObject({
      type: 'response.completed',
      response: { status: 'completed', output: [{}, {}, {}, { id: expect.stringContaining('fc_') as unknown }] },
    })
    expect(whole.output).toHaveLength(4)
  })

  it('ends as `response.incomplete` with its reason, and holds a refusal', async () => {
    const server = await start({
      replies: [{ content: 'Hel', finish_reason: 'length' }, { refusal: 'No.' }],
    })
    expect((await frames(server)).at(-1)!.data).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    })
    expect((await frames(server)).map(({ data }) => data.type)).toContain('response.refusal.delta')
  })

  it('fails by an `error` event at once, by `response.failed` later, and by its status as a whole', async () => {
    const server = await start({ replies: { failure: 'error-frame' } })
    expect(await frames(server)).toMatchObject([{ event: 'error', data: { code: 'server_error' } }])
    const later = await start({ replies: { failure: 'error-frame-midway' } })
    const sent = await frames(later)
    expect(sent.some(({ data }) => data.type === 'response.output_text.delta')).toBe(true)
    expect(sent.at(-1)!.data).toMatchObject({ type: 'response.failed', response: { error: { code: 'server_error' } } })
    expect(await (await post(later)).json()).toMatchObject({ status: 'failed', error: { code: 'server_error' } })
  })

  it.each(['cut', 'no-done'] as const)('without its last event: %s', async (failure) => {
    const server = await start({ replies: { failure } })
    const types = new Set((await frames(server)).map(({ data }) => data.type))
    expect([types.has('response.completed'), types.has('response.output_item.done')]).toEqual([
      false,
      failure === 'no-done',
    ])
  })

  it('a script sees which API was asked, and the input as messages', async () => {
    const server = await start({
      replies: ({ api, messages }) => `${api}: ${messages.map(({ role }) => String(role)).join(', ')}`,
    })
    const input = [
      { role: 'user', content: 'hi' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: '1' },
    ]
    expect(JSON.stringify(await (await post(server, { input })).json())).toContain('responses: user, assistant, tool')
  })

  it.each([
    ['/v1/responses', 200],
    ['/openai/v1/responses', 200],
    ['/openai/responses?api-version=2025-04-01-preview', 200],
    ['/openai/responses', 404],
    ['/openai/deployments/d/responses?api-version=2025-04-01-preview', 404],
  ])('comes by %s with status %i', async (path, status) => {
    const server = await start({ replies: 'a' })
    expect((await post(server, {}, path)).status).toBe(status)
  })
})
