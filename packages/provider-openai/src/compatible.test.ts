import type { ChatMessage, ConfigEntry, ModelAnswer, ModelParams } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { delta, fakeWire, framesOf, wholeAnswer } from './wire.fake.ts'

const streamed = async (...chunks: object[]) => await fakeWire(framesOf(chunks)).stream()
const message = ({ choices }: ModelAnswer) => choices[0]!.message
const piece = (part: object) => delta({ tool_calls: [part] })

describe('E2: a stream that says `[DONE]` and no finish reason', () => {
  test('is an answer, with what came behind its text', async () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 }
    const { answer } = await streamed(delta({ content: 'Hello' }), { choices: [], usage })
    expect(answer).toMatchObject({ choices: [{ finish_reason: 'stop', message: { content: 'Hello' } }], usage })
  })

  test('has its calls, if their arguments are whole', async () => {
    const call = (args: string): object => piece({ index: 0, id: 'a', function: { name: 'f', arguments: args } })
    expect((await streamed(call('{"a": 1}'))).answer.choices[0]).toMatchObject({ finish_reason: 'tool_calls' })
    await expect(streamed(call('{"a": '))).rejects.toMatchObject({ kind: 'truncated' })
  })

  test('is cut without any content', async () => {
    await expect(streamed(delta({ role: 'assistant', content: '' }))).rejects.toMatchObject({ kind: 'truncated' })
    await expect(streamed()).rejects.toMatchObject({ kind: 'truncated' })
  })
})

describe('E3: an error without the key `error`', () => {
  const said = "This model's maximum context length is 4096 tokens"
  const body = { object: 'error', message: said, type: 'BadRequestError', param: null, code: 400 }
  const failure = { kind: 'context-overflow', status: 400, message: said }

  test('whole', async () => await expect(fakeWire(body).create()).rejects.toMatchObject(failure))
  test('before the first content', async () => await expect(streamed(body)).rejects.toMatchObject(failure))
  test('after content', async () =>
    await expect(streamed(delta({ content: 'Hel' }), body)).rejects.toMatchObject(failure))
})

test('E3: an error of Groq within a stream that ends as any other', async () => {
  const stopped = { choices: [], x_groq: { id: 'req_1', error: 'over capacity: the stream was stopped' } }
  await expect(streamed(delta({ content: 'Hel' }), stopped)).rejects.toMatchObject({
    kind: 'server',
    message: expect.stringContaining('over capacity') as unknown,
  })
})

describe('E5: thoughts in the text', () => {
  const pieces = ['\n<thi', 'nk>\nhm', ' <b> ', '</th', 'ink', '>\n\nPa', 'ris']
  const whole = async (content: string, config: ConfigEntry = {}) =>
    await fakeWire(wholeAnswer({ content }), { baseUrl: 'http://localhost:11434/v1', ...config }).create()

  test('are reasoning, streamed and whole', async () => {
    const wire = fakeWire(framesOf([...pieces.map((content) => delta({ content })), delta({}, 'stop')]), {
      baseUrl: 'http://localhost:11434/v1',
    })
    const { events, answer } = await wire.stream()
    const text = (type: string): string =>
      events.map((event) => (event.type === type && 'text' in event ? event.text : '')).join('')
    expect([text('reasoningDelta'), text('textDelta')]).toEqual(['\nhm <b> ', 'Paris'])
    expect(message(answer).content).toBe('Paris')
    expect(message(await whole(pieces.join('')))).toEqual(message(answer))
  })

  test.each([
    ['<think>cut off', ''],
    ['<think>cut off</thin', ''],
    ['<think></think>Paris', 'Paris'],
    ['<thinking>Paris', '<thinking>Paris'],
    ['  <thi', '  <thi'],
    ['say <think>', 'say <think>'],
    ['say <think> and </think>', 'say <think> and </think>'],
    ['hm\n</think>\n\nParis', 'Paris'],
    [' Paris', ' Paris'],
  ])('%j', async (content, left) => {
    expect(message(await whole(content)).content).toBe(left)
  })

  test.each(['qwen3', 'deepseek-r1'])('of %s end without having begun, whole and cut at any place', async (model) => {
    const text = 'Hm, <b> </p>hm.\n</think>\n\nParis </think>'
    const local = { baseUrl: 'http://localhost:11434/v1', model }
    const all = await fakeWire(wholeAnswer({ role: 'assistant', content: text }), local).create()
    expect([all.choices[0]!.reasoning, message(all).content]).toEqual(['Hm, <b> </p>hm.\n', 'Paris </think>'])
    for (let cut = 0; cut <= text.length; cut++) {
      const pieces = [text.slice(0, cut), text.slice(cut, cut + 3), text.slice(cut + 3)]
      const wire = fakeWire(framesOf([...pieces.map((content) => delta({ content })), delta({}, 'stop')]), local)
      const { events, answer } = await wire.stream()
      expect(answer.choices).toEqual(all.choices)
      let told = ''
      for (const event of events) {
        if (event.type === 'textDelta') told += event.text
        if (event.type === 'textWasReasoning') told = ''
      }
      expect(told).toBe('Paris </think>')
    }
  })

  test('count as text where the endpoint tells both apart', async () => {
    const wire = fakeWire(wholeAnswer({ reasoning_content: 'hm', content: 'The tag is </think> here.' }), {
      baseUrl: 'http://localhost:11434/v1',
    })
    expect(message(await wire.create()).content).toBe('The tag is </think> here.')
  })

  test('stay where they are with OpenAI, which never writes them so', async () => {
    const wire = fakeWire(wholeAnswer({ content: '<think>a</think>b' }))
    expect(message(await wire.create()).content).toBe('<think>a</think>b')
  })
})

test('E7: an older call without a name is not a call', async () => {
  for (const empty of [
    { name: '', arguments: '' },
    { name: null, arguments: null },
  ]) {
    const whole = await fakeWire(wholeAnswer({ content: 'hi', function_call: empty })).create()
    const { answer } = await streamed(delta({ content: 'hi', function_call: empty }), delta({}, 'stop'))
    for (const each of [whole, answer]) expect(message(each)).toEqual({ role: 'assistant', content: 'hi' })
  }
})

test('E1: reasoning that the total counts beside the completion is part of it', async () => {
  const counted = async (total: number) => {
    const usage = {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: total,
      completion_tokens_details: { reasoning_tokens: 300 },
    }
    return (await fakeWire(wholeAnswer(undefined, { usage })).create()).usage
  }
  expect(await counted(312)).toEqual({
    prompt_tokens: 10,
    completion_tokens: 302,
    total_tokens: 312,
    reasoning_tokens: 300,
  })
  expect(await counted(12)).toMatchObject({ completion_tokens: 2, total_tokens: 12, reasoning_tokens: 2 })
})

describe('X3: arguments that are no object, which servers of open models refuse in every later request', () => {
  const history = (args: string): ChatMessage[] => [
    { role: 'user', content: 'Go.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: args } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'Error: the arguments are no JSON' },
  ]
  const sent = async (args: string, config: ConfigEntry) => {
    const wire = fakeWire(config.api === 'responses' ? { output: [], status: 'completed' } : wholeAnswer(), config)
    await wire.create({ messages: history(args) })
    const { messages, input } = wire.sent[0]!.body as { messages?: ChatMessage[]; input?: { arguments?: string }[] }
    return messages?.[1]!.tool_calls![0]!.function.arguments ?? input![1]!.arguments
  }

  test.each(['{"a": "tru', '[1]', '"a"'])('%s is wrapped', async (args) => {
    const wrapped = JSON.stringify({ rawInvalidInput: args })
    const vllm = { baseUrl: 'http://localhost:8000/v1', model: 'qwen3' }
    expect(await sent(args, vllm)).toBe(wrapped)
    expect(await sent(args, { ...vllm, api: 'responses' })).toBe(wrapped)
    expect(await sent(args, { model: 'gpt-4o' })).toBe(args)
  })
})

describe('a schema of the answer that the model refuses is told in words, in the next request and later ones', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  const json = { response_format: { type: 'json_schema', json_schema: { name: 'r', schema } } }
  const answerTo = async (message: string) => {
    const sent: { response_format?: object; messages: { role: string; content: string }[] }[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(JSON.parse(init?.body as string) as (typeof sent)[number])
      const isRefused = sent.at(-1)!.response_format && 'json_schema' in sent.at(-1)!.response_format!
      return isRefused ? Response.json({ error: { message } }, { status: 400 }) : Response.json(wholeAnswer())
    }
    const { client } = fakeWire(undefined, { baseUrl: 'https://api.deepseek.com', model: 'deepseek-chat', fetch })
    const ask = async () => await client.create({ messages: [{ role: 'user', content: 'Hi' }], ...json }, {})
    return { sent, ask }
  }

  test.each([
    'This response_format type is unavailable now',
    'This model does not support response format `json_schema`. See supported models at https://console.groq.com/docs',
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
    'response_format value as json_schema is enabled only for api versions 2024-08-01-preview and later',
  ])('%s', async (message) => {
    const { sent, ask } = await answerTo(message)
    // Calls at the same time learn it alike.
    const refused = { status: 'rejected', reason: { details: { askAgain: true } } }
    expect(await Promise.allSettled([ask(), ask()])).toMatchObject([refused, refused])
    await ask()
    expect(sent[2]).toMatchObject({ response_format: { type: 'json_object' } })
    expect(sent[2]!.messages).toEqual([
      { role: 'system', content: expect.stringContaining(JSON.stringify(schema)) as unknown },
      { role: 'user', content: 'Hi' },
    ])
  })

  test('but not one that is wrong', async () => {
    const { ask } = await answerTo("Invalid schema for response_format 'r': 'minLength' is not supported.")
    for (let times = 0; times < 2; times++)
      await expect(ask()).rejects.not.toMatchObject({ details: { askAgain: true } })
  })
})

test.each([
  ['cache_control', undefined, false],
  ['cache_control', 'https://api.groq.com/openai/v1', false],
  ['cache_control', 'https://openrouter.ai/api/v1', true],
  ['prompt_cache_breakpoint', undefined, true],
  ['prompt_cache_breakpoint', 'https://api.groq.com/openai/v1', false],
])('a mark for a cache (%s) goes to %s: %s', async (mark, baseUrl, isSent) => {
  const wire = fakeWire(wholeAnswer(), { ...(baseUrl && { baseUrl }) })
  const content = [{ type: 'text' as const, text: 'Hi', [mark]: { mode: 'explicit' } }]
  await wire.create({ messages: [{ role: 'user', content }] })
  const [sent] = (wire.sent[0]!.body as { messages: { content: object[] }[] }).messages[0]!.content
  expect(sent).toEqual(isSent ? content[0] : { type: 'text', text: 'Hi' })
})

test.each([
  [undefined, [], undefined],
  [undefined, '', undefined],
  [undefined, ['a', ''], ['a']],
  [undefined, ['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd']],
  ['http://localhost:8000/v1', ['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd', 'e']],
])('at %s the stop texts %j are %j', async (baseUrl, stop, sent) => {
  const wire = fakeWire(wholeAnswer(), { ...(baseUrl && { baseUrl }) })
  await wire.create({ stop })
  expect(wire.sent[0]!.body['stop']).toEqual(sent)
})

describe('a forced call that a model refuses while it thinks is left to the model, in the next request and later ones', () => {
  const tools = [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
  const answerTo = (message: string) => {
    const sent: { tool_choice?: unknown }[] = []
    const fetch: typeof globalThis.fetch = async (_, init) => {
      sent.push(JSON.parse(init?.body as string) as (typeof sent)[number])
      const isRefused = sent.at(-1)!.tool_choice !== 'auto'
      return isRefused ? Response.json({ error: { message } }, { status: 400 }) : Response.json(wholeAnswer())
    }
    const { client } = fakeWire(undefined, { baseUrl: 'https://api.deepseek.com', model: 'deepseek-v4-pro', fetch })
    const warned: string[] = []
    const ask = async (choice: ModelParams['tool_choice'] = 'required') =>
      await client.create(
        { messages: [{ role: 'user', content: 'Hi' }], tools, tool_choice: choice },
        { warn: (topic) => void warned.push(topic) },
      )
    return { sent, warned, ask }
  }

  test.each([
    'Thinking mode does not support this tool_choice',
    'deepseek-reasoner does not support this tool_choice',
    "tool_choice 'required' is incompatible with thinking enabled",
    'The tool_choice parameter does not support being set to required or object in thinking mode',
    'Thinking may not be enabled when tool_choice forces tool use.',
  ])('%s', async (message) => {
    const { sent, warned, ask } = answerTo(message)
    const refused = { status: 'rejected', reason: { details: { askAgain: true } } }
    expect(await Promise.allSettled([ask(), ask()])).toMatchObject([refused, refused])
    await ask()
    await ask({ type: 'function', function: { name: 'f' } })
    expect(sent.map(({ tool_choice: choice }) => choice)).toEqual(['required', 'required', 'auto', 'auto'])
    expect(warned).toEqual(['tool_choice', 'tool_choice'])
  })

  test('but not one for a tool that is not there', async () => {
    const { ask } = answerTo("Tool 'g' in `tool_choice` is not in `tools`")
    for (let times = 0; times < 2; times++)
      await expect(ask()).rejects.not.toMatchObject({ details: { askAgain: true } })
  })
})
