import type { ChatMessage } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { answerOf, call, inputOf, response, responsesWire, said, thought } from './responses.fake.ts'

const user: ChatMessage = { role: 'user', content: 'Hi' }
const result = (id: string, content: ChatMessage['content'] = 'done'): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
const output = (id: string, content: unknown = 'done'): object => ({
  type: 'function_call_output',
  call_id: id,
  output: content,
})
const asked = { role: 'user', content: 'Hi' }

describe('R5: an answer goes back as the items it came in, in their order', () => {
  test.each<[string, object[], string[]]>([
    ['a text', [said('Hello')], []],
    ['a text with its phase', [said('Hello', { phase: 'final_answer' })], []],
    ['reasoning and a text', [thought('rs_1'), said('Hello')], []],
    ['reasoning, a text, parallel calls', [thought('rs_1'), said('I look.'), call('a'), call('b', '{}')], ['a', 'b']],
    ['a call of a namespace', [thought('rs_1'), call('a', '{}', { namespace: 'weather' })], ['a']],
    [
      'reasoning between calls and texts',
      [thought('rs_1'), call('a'), thought('rs_2'), said('So. '), thought('rs_3'), said('Then.', { id: 'msg_2' })],
      ['a'],
    ],
    [
      'a search with its sources and citations',
      [
        thought('rs_1'),
        {
          id: 'ws_1',
          type: 'web_search_call',
          status: 'completed',
          action: { type: 'search', sources: [{ url: 'u' }] },
        },
        thought('rs_2'),
        said('x', { content: [{ type: 'output_text', text: 'x', annotations: [{ type: 'url_citation', url: 'u' }] }] }),
      ],
      [],
    ],
    ['an item of a later version', [{ id: 'zz_1', type: 'novelty', payload: { a: null } }, said('Hello')], []],
    ['a refusal', [said('', { content: [{ type: 'refusal', refusal: 'No.' }] })], []],
  ])('%s', async (_, items, ids) => {
    const message = await answerOf(items)
    const saved = JSON.parse(JSON.stringify(message)) as ChatMessage
    const outputs = ids.map((id) => output(id))
    const results = ids.map((id) => result(id))
    // What the program answers stands behind the answer, which is sent whole.
    const sent = await inputOf([user, saved, ...results, user])
    expect(sent).toEqual([asked, ...items, ...outputs, asked])
  })

  test('the status of reasoning, null and probabilities are only for reading', async () => {
    const items = [
      thought('rs_1', { encrypted_content: 's', status: 'completed', content: null }),
      said('x', { phase: null, content: [{ type: 'output_text', text: 'x', annotations: [], logprobs: [{}] }] }),
    ]
    const sent = await inputOf([user, await answerOf(items)])
    expect(sent.slice(1)).toEqual([thought('rs_1', { encrypted_content: 's' }), said('x')])
  })

  test('the stored message holds a text once, and its items hold what else came', async () => {
    const message = await answerOf([thought('rs_1'), said('Hello'), call('a')])
    expect(message).toMatchObject({ content: 'Hello', tool_calls: [{ id: 'a' }] })
    const stored = JSON.stringify(message.provider_metadata)
    expect([stored.includes('Hello'), stored.includes('arguments'), stored.includes('sealed rs_1')]).toEqual([
      false,
      false,
      true,
    ])
  })

  test('another provider, and a message that was said by somebody else, get text and calls', async () => {
    const message = await answerOf([thought('rs_1'), said('Hello')])
    const other: ChatMessage = { ...message, role: 'user', name: 'assistant' }
    expect(await inputOf([other])).toEqual([{ role: 'user', content: 'Hello' }])
    const foreign: ChatMessage = {
      role: 'assistant',
      content: 'Hello',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '' } }],
      provider_metadata: { anthropic: { blocks: [] }, openai: { items: 'lost' } },
    }
    expect(await inputOf([foreign, result('a')])).toEqual([
      { role: 'assistant', content: 'Hello' },
      { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
      output('a'),
    ])
  })
})

describe('R6: reasoning and the item that followed it stay together', () => {
  test('reasoning behind which nothing came is left out', async () => {
    expect(await inputOf([user, await answerOf([thought('rs_1')])])).toEqual([asked])
    expect(await inputOf([await answerOf([said('x'), thought('rs_1'), thought('rs_2')])])).toEqual([said('x')])
  })

  test('reasoning goes with a call that the history has lost', async () => {
    const message = await answerOf([thought('rs_1'), call('a'), thought('rs_2'), said('x')])
    const sent = await inputOf([user, { ...message, tool_calls: undefined }])
    expect(sent).toEqual([asked, thought('rs_2'), said('x')])
  })

  test('an item whose reasoning did not come along loses its id; a use of a tool of the provider is left out', async () => {
    const items = [
      thought('rs_1', {}),
      { id: 'ws_1', type: 'web_search_call', status: 'completed' },
      said('I look. '),
      call('a'),
      thought('rs_2'),
      said('x', { id: 'msg_2' }),
    ]
    const sent = await inputOf([await answerOf(items), result('a')])
    const { id: _, ...text } = said('I look. ') as { id: string }
    const { id: _id, ...called } = call('a') as { id: string }
    expect(sent).toEqual([text, called, thought('rs_2'), said('x', { id: 'msg_2' }), output('a')])
  })

  test('a model that does not reason gets none', async () => {
    const message = await answerOf([thought('rs_1'), said('Hello')])
    const { id: _, ...text } = said('Hello') as { id: string }
    expect(await inputOf([user, message], { model: 'gpt-4o' })).toEqual([asked, text])
  })

  test('reasoning of an open model, whose text is no secret, goes back', async () => {
    const open = thought('rs_1', { content: [{ type: 'reasoning_text', text: 'Hm.' }] })
    const message = await answerOf([open, said('Hello')])
    expect(await inputOf([message], { model: 'qwen3' })).toEqual([open, said('Hello')])
  })
})

describe('R8: text and calls are those of the stored message', () => {
  test('a text that was changed takes the place of the first', async () => {
    const message = await answerOf([thought('rs_1'), said('I look. '), call('a'), said('Then.', { id: 'msg_2' })])
    const sent = await inputOf([{ ...message, content: 'Censored' }, result('a')])
    expect(sent).toEqual([thought('rs_1'), said('Censored'), call('a'), output('a')])
  })

  test('a text or a call that was added comes behind the rest', async () => {
    const message = await answerOf([thought('rs_1'), call('a')])
    const more = { id: 'b', type: 'function' as const, function: { name: 'g', arguments: '{}' } }
    const calls = [...message.tool_calls!, more]
    const sent = await inputOf([{ ...message, content: 'Both', tool_calls: calls }, result('a'), result('b')])
    expect(sent).toEqual([
      thought('rs_1'),
      call('a'),
      { role: 'assistant', content: 'Both' },
      { type: 'function_call', call_id: 'b', name: 'g', arguments: '{}' },
      output('a'),
      output('b'),
    ])
  })

  test('arguments that were changed are sent', async () => {
    const message = await answerOf([call('a')])
    const changed = { ...message.tool_calls![0]!, function: { name: 'f', arguments: '{"a":2}' } }
    expect(await inputOf([{ ...message, tool_calls: [changed] }, result('a')])).toEqual([
      call('a', '{"a":2}'),
      output('a'),
    ])
  })

  test('a conversation that was cut in front of a result still has one', async () => {
    const message = await answerOf([thought('rs_1'), call('a')])
    const [, , lost] = await inputOf([message, user])
    expect(lost).toMatchObject({
      type: 'function_call_output',
      call_id: 'a',
      output: expect.stringContaining('missing'),
    })
  })
})

describe('R16: tools of the provider', () => {
  const click = {
    id: 'cu_1',
    type: 'computer_call',
    call_id: 'c1',
    status: 'completed',
    action: { type: 'screenshot' },
  }
  const shot = { type: 'computer_call_output', call_id: 'c1', output: { type: 'computer_screenshot', image_url: 'u' } }

  test('results are read in `items` as they came', async () => {
    const run = {
      id: 'ci_1',
      type: 'code_interpreter_call',
      status: 'completed',
      outputs: [{ type: 'logs', logs: '4' }],
    }
    const image = { id: 'ig_1', type: 'image_generation_call', status: 'completed', result: 'iVBORw0KGgo=' }
    const message = await answerOf([run, image, said('Four.')])
    expect(message.provider_metadata).toMatchObject({ openai: { items: [run, image, { type: 'message' }] } })
    expect(await inputOf([message])).toEqual([run, image, said('Four.')])
  })

  test('who made an item is only for reading', async () => {
    const run = { id: 'sh_1', type: 'shell_call', call_id: 's1', status: 'completed', action: { commands: ['ls'] } }
    const listed = { id: 'so_1', type: 'shell_call_output', call_id: 's1', output: [], status: 'completed' }
    const message = await answerOf([{ ...run, created_by: 'user' }, { ...listed, created_by: 'user' }, said('x')])
    expect(await inputOf([message])).toEqual([run, listed, said('x')])
  })

  test('what the program answers to them goes as it is, in `input` beside a message', async () => {
    const message = await answerOf([thought('rs_1'), click])
    const reply: ChatMessage = { role: 'user', content: '', provider_metadata: { openai: { input: [shot] } } }
    expect(await inputOf([user, message, reply])).toEqual([asked, thought('rs_1'), click, shot])
    const approval = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }
    const spoken: ChatMessage = { role: 'user', content: 'Go', provider_metadata: { openai: { input: [approval] } } }
    expect(await inputOf([spoken])).toEqual([approval, { role: 'user', content: 'Go' }])
  })

  test('a call that nobody answered is left out with its reasoning', async () => {
    const message = await answerOf([said('I look.'), thought('rs_1'), click])
    expect(await inputOf([user, message, user])).toEqual([asked, said('I look.'), asked])
  })
})

describe('R21: calls that programs of the model make', () => {
  const program = { id: 'prog_1', type: 'program', call_id: 'p1', code: 'await f({ a: 1 })', fingerprint: 'x' }
  const caller = { type: 'program', caller_id: 'p1' }
  const printed = { id: 'po_1', type: 'program_output', call_id: 'p1', result: '1', status: 'completed' }

  test('go back with their program, their results with the same caller', async () => {
    const first = await answerOf([thought('rs_1'), program, call('a', '{"a":1}', { caller }), call('b')])
    const waits = [asked, thought('rs_1'), program, call('a', '{"a":1}', { caller }), call('b')]
    const results = [{ ...output('a'), caller }, output('b')]
    expect(await inputOf([user, first, result('a'), result('b')])).toEqual([...waits, ...results])
    const done = await answerOf([printed, said('x')])
    expect(await inputOf([user, first, result('a'), result('b'), done, user])).toEqual([
      ...waits,
      ...results,
      printed,
      said('x'),
      asked,
    ])
  })

  test('are calls of the model where the program cannot go back', async () => {
    // Its reasoning came without what can be sent back.
    const first = await answerOf([thought('rs_1', {}), program, call('a', '{"a":1}', { caller })])
    const { id: _, ...bare } = call('a') as { id: string }
    expect(await inputOf([first, result('a'), await answerOf([printed, said('x')])])).toEqual([
      bare,
      output('a'),
      said('x'),
    ])
  })
})

describe('R22: tools of servers that the provider connects to', () => {
  const listed = { id: 'mcpl_1', type: 'mcp_list_tools', server_label: 's', tools: [{ name: 't', input_schema: {} }] }
  const request = { id: 'mcpr_1', type: 'mcp_approval_request', server_label: 's', name: 't', arguments: '{}' }
  const called = {
    id: 'mcp_1',
    type: 'mcp_call',
    server_label: 's',
    name: 't',
    arguments: '{}',
    approval_request_id: 'mcpr_1',
    output: 'ok',
  }
  const decision = { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', approve: true }
  const approval: ChatMessage = { role: 'user', content: '', provider_metadata: { openai: { input: [decision] } } }

  test('lists, requests, decisions and calls go back in their order', async () => {
    const asks = await answerOf([listed, thought('rs_1'), request])
    const waits = [asked, listed, thought('rs_1'), request, decision]
    expect(await inputOf([user, asks, approval])).toEqual(waits)
    const done = await answerOf([called, said('x')])
    expect(await inputOf([user, asks, approval, done, user])).toEqual([...waits, called, said('x'), asked])
  })

  test('a request that nobody decided, and a decision without its request, are left out', async () => {
    const asks = await answerOf([listed, thought('rs_1'), request])
    expect(await inputOf([user, asks, user])).toEqual([asked, listed, asked])
    const severed = await answerOf([listed, thought('rs_1', {}), request])
    expect(await inputOf([user, severed, approval, user])).toEqual([asked, listed, asked])
  })
})

describe('R17: calls of custom tools', () => {
  const run = { id: 'ctc_1', type: 'custom_tool_call', call_id: 'x1', name: 'sql', input: 'select "a"\n' }

  test('come as calls with one argument, `input`, and their results go back as such', async () => {
    const message = await answerOf([thought('rs_1'), run])
    expect(message.tool_calls).toEqual([
      { id: 'x1', type: 'function', function: { name: 'sql', arguments: JSON.stringify({ input: run.input }) } },
    ])
    expect(await inputOf([message, result('x1', 'a: 1')])).toEqual([
      thought('rs_1'),
      run,
      { type: 'custom_tool_call_output', call_id: 'x1', output: 'a: 1' },
    ])
  })

  test('the input arrives in pieces, escaped as JSON', async () => {
    const pieces = ['select "', '\ud83d', '\ude00', '"\n']
    const input = pieces.join('')
    const item = { ...run, input }
    const events = [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, input: '' } },
      ...pieces.map((delta) => ({ type: 'response.custom_tool_call_input.delta', output_index: 0, delta })),
      { type: 'response.output_item.done', output_index: 0, item },
      { type: 'response.completed', response: response([item]) },
    ]
    const { answer } = await responsesWire(
      events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''),
    ).stream()
    const { arguments: args } = answer.choices[0]!.message.tool_calls![0]!.function
    expect(JSON.parse(args)).toEqual({ input })
  })
})
