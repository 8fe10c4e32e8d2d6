import type { ChatMessage, ConfigEntry, ModelParams } from '@x/interfaces'
import { exchange, type Exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { anthropic } from './anthropic.ts'

type Block = Record<string, unknown> & { type: string }

const HI: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const CODE: Block = {
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'code_execution',
  input: { code: 'await weather({ city: "Rome" })' },
  caller: { type: 'direct' },
}
const CALLER = { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' }
const CONTAINER = { id: 'container_1', expires_at: '2026-11-27T12:00:00Z' }
const callBlock = (id: string, fields: object = { caller: CALLER }): Block => ({
  type: 'tool_use',
  id,
  name: 'weather',
  input: { city: 'Rome' },
  ...fields,
})
const ran: Block = {
  type: 'code_execution_tool_result',
  tool_use_id: 'srvtoolu_1',
  content: { type: 'code_execution_result', stdout: '20', stderr: '', return_code: 0 },
}
const say = (text: string): Block => ({ type: 'text', text })
const result = (id: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content: '20' })
const sentResult = (id: string): Block => ({ type: 'tool_result', tool_use_id: id, content: '20' })

async function asked(params: Partial<ModelParams>, whole?: object, config?: ConfigEntry): Promise<Exchange> {
  const model = config?.model ?? 'claude-opus-4-6'
  const recorded = { whole: { id: 'm', type: 'message', model, content: [say('x')], usage: {}, ...whole } }
  return await exchange(anthropic, { model, ...config }, { model, messages: HI, ...params }, recorded)
}

/** Returns the message of an answer, as a program stores it. */
async function answerOf(content: readonly Block[], fields: object = {}): Promise<ChatMessage> {
  const { answer } = await asked({}, { content, stop_reason: 'tool_use', ...fields })
  return JSON.parse(JSON.stringify(answer!.choices[0]!.message)) as ChatMessage
}

/** Returns the turns of the assistant and those behind the first question, as they are sent. */
async function turnsOf(messages: ChatMessage[]): Promise<unknown[]> {
  const { body } = await asked({ messages: [...HI, ...messages] })
  return (body['messages'] as { content: unknown }[]).slice(1).map(({ content }) => content)
}

describe('A36: calls that code makes in a container', () => {
  const first = [say('I look.'), CODE, callBlock('toolu_1'), callBlock('toolu_2')]
  const container = { container: CONTAINER }

  test('go back with their caller and their code, and the request names the container', async () => {
    const message = await answerOf(first, container)
    expect(message.tool_calls?.map(({ id }) => id)).toEqual(['toolu_1', 'toolu_2'])
    const messages = [...HI, message, result('toolu_1'), result('toolu_2')]
    const { body } = await asked({ messages })
    expect(body['container']).toBe('container_1')
    expect(body['messages']).toEqual([
      { role: 'user', content: [say('Hi')] },
      { role: 'assistant', content: first },
      { role: 'user', content: [sentResult('toolu_1'), sentResult('toolu_2')] },
    ])
  })

  test('are streamed alike, with a container that comes at the end', async () => {
    const frames = [
      { type: 'message_start', message: { id: 'm', model: 'claude-opus-4-6', content: [], usage: {} } },
      { type: 'content_block_start', index: 0, content_block: { ...CODE, input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"code":' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '"1"}' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: callBlock('toolu_1') },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use', container: CONTAINER }, usage: {} },
      { type: 'message_stop' },
    ]
    const model = 'claude-opus-4-6'
    const { answer } = await exchange(anthropic, { model }, { model, messages: HI }, { frames })
    const { body } = await asked({ messages: [...HI, answer!.choices[0]!.message, result('toolu_1')] })
    const [, turn] = body['messages'] as { content: unknown }[]
    expect([turn!.content, body['container']]).toEqual([
      [{ ...CODE, input: { code: '1' } }, callBlock('toolu_1')],
      'container_1',
    ])
  })

  test('several turns of calls wait for one run of the code, whose result ends the wait', async () => {
    const waiting = await answerOf([CODE, callBlock('toolu_1')], container)
    const next = await answerOf([callBlock('toolu_2')], container)
    const waits = [waiting, result('toolu_1'), next, result('toolu_2')]
    const wanted = [
      [CODE, callBlock('toolu_1')],
      [sentResult('toolu_1')],
      [callBlock('toolu_2')],
      [sentResult('toolu_2')],
    ]
    expect(await turnsOf(waits)).toEqual(wanted)
    const done = await answerOf([ran, say('20')], { ...container, stop_reason: 'end_turn' })
    const { body } = await asked({ messages: [...HI, ...waits, done, ...HI] })
    const turns = (body['messages'] as { content: unknown }[]).map(({ content }) => content)
    expect(turns.slice(1)).toEqual([...wanted, [ran, say('20')], [say('Hi')]])
    // Nothing waits: the container is the caller's to name.
    expect(body).not.toHaveProperty('container')
  })

  test.each<[string, unknown, unknown]>([
    ['an id of the caller wins', 'container_9', 'container_9'],
    [
      'skills of the caller stay',
      { skills: [{ skill_id: 'pdf' }] },
      { skills: [{ skill_id: 'pdf' }], id: 'container_1' },
    ],
    ['an id beside skills wins', { id: 'container_9', skills: [] }, { id: 'container_9', skills: [] }],
  ])('%s', async (_, given, wanted) => {
    const messages = [...HI, await answerOf([CODE, callBlock('toolu_1')], container), result('toolu_1')]
    const { body } = await asked({ messages, container: given })
    expect(body['container']).toEqual(wanted)
  })

  test('become calls of the model where the code cannot go on: the user said something instead', async () => {
    const messages = [...HI, await answerOf(first, container), result('toolu_1'), result('toolu_2'), ...HI]
    const { body, warnings } = await asked({ messages })
    const turns = body['messages'] as { content: unknown }[]
    expect(turns[1]!.content).toEqual([say('I look.'), callBlock('toolu_1', {}), callBlock('toolu_2', {})])
    expect(body).not.toHaveProperty('container')
    expect([...new Set(warnings.map(([topic]) => topic))]).toEqual(['tool_use'])
  })

  test('and results whose code was cut off the history are left out', async () => {
    const done = await answerOf([ran, say('20')], { stop_reason: 'end_turn' })
    expect(await turnsOf([done, ...HI])).toEqual([[say('20')], [say('Hi')]])
  })

  test('a call that a hook took away takes the code along', async () => {
    const message = await answerOf(first, container)
    const changed = { ...message, tool_calls: message.tool_calls!.slice(0, 1) }
    expect((await turnsOf([changed, result('toolu_1')]))[0]).toEqual([say('I look.'), callBlock('toolu_1', {})])
  })

  test('that the model itself calls is usual: nothing is stored for it', async () => {
    const message = await answerOf([callBlock('toolu_1', { caller: { type: 'direct' } })])
    expect(message).not.toHaveProperty('provider_metadata')
    const { body } = await asked({ messages: [...HI, message, result('toolu_1')] })
    expect((body['messages'] as { content: unknown }[])[1]!.content).toEqual([callBlock('toolu_1', {})])
  })
})

describe('A37: tools of the provider that have no result yet', () => {
  const search: Block = { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_search', input: { query: 'Rome' } }
  const found: Block = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_2', content: [] }

  test('beside a call of the caller’s tool, the provider runs them with the results', async () => {
    const mixed = await answerOf([search, callBlock('toolu_1', {})])
    expect(await turnsOf([mixed, result('toolu_1')])).toEqual([
      [search, callBlock('toolu_1', {})],
      [sentResult('toolu_1')],
    ])
    const next = await answerOf([found, say('So.')], { stop_reason: 'end_turn' })
    expect(await turnsOf([mixed, result('toolu_1'), next, ...HI])).toEqual([
      [search, callBlock('toolu_1', {})],
      [sentResult('toolu_1')],
      [found, say('So.')],
      [say('Hi')],
    ])
  })

  test('a paused turn goes on in its container', async () => {
    const message = await answerOf([say('I look.'), CODE], { stop_reason: 'pause_turn', container: CONTAINER })
    const { body } = await asked({ messages: [...HI, message] })
    expect([(body['messages'] as { content: unknown }[]).at(-1), body['container']]).toEqual([
      { role: 'assistant', content: [say('I look.'), CODE] },
      'container_1',
    ])
  })

  test('a paused turn with a message of the user behind it goes without them', async () => {
    const message = await answerOf([say('I look.'), search], { stop_reason: 'pause_turn' })
    expect(await turnsOf([message, ...HI])).toEqual([[say('I look.')], [say('Hi')]])
  })
})

describe('A38: tools of servers that the provider connects to', () => {
  const used: Block = {
    type: 'mcp_tool_use',
    id: 'mcptoolu_1',
    name: 'echo',
    server_name: 'example',
    input: { text: 'Hi' },
  }
  const echoed: Block = { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [say('Hi')] }

  test('use and result go back in their places', async () => {
    const blocks = [say('I ask.'), used, echoed, say('Hi.')]
    const message = await answerOf(blocks, { stop_reason: 'end_turn' })
    expect((await turnsOf([message, ...HI]))[0]).toEqual(blocks)
  })

  test('a use without a result is left out, a paused one is not', async () => {
    const cut = await answerOf([say('I ask.'), used], { stop_reason: 'max_tokens' })
    expect((await turnsOf([cut, ...HI]))[0]).toEqual([say('I ask.')])
    const paused = await answerOf([say('I ask.'), used], { stop_reason: 'pause_turn' })
    expect((await turnsOf([paused]))[0]).toEqual([say('I ask.'), used])
  })
})
