import type { ChatMessage, ModelAnswer, ModelParams, ToolSchema } from '@x/interfaces'
import { anthropic } from '@x/provider-anthropic'
import { anthropicFormat } from '@x/testing/anthropic'
import { exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { refusalOf } from './any-history.fake.ts'
import { readRecording, nextRequest, type RecordedAnswer } from './recorded-exchange.fake.ts'

/** Answers as the provider sends them, with fields that the adapter does not read. */
const entry = { model: 'claude-sonnet-4-5' }
const USAGE = {
  input_tokens: 472,
  cache_creation_input_tokens: 128,
  cache_read_input_tokens: 1024,
  cache_creation: { ephemeral_5m_input_tokens: 128, ephemeral_1h_input_tokens: 0 },
  output_tokens: 89,
  service_tier: 'standard',
  inference_geo: 'not_available',
}
const FACTS = {
  id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
}
const message = (content: object[], stop_reason: string, more: object = {}): object => ({
  ...FACTS,
  content,
  stop_reason,
  stop_sequence: null,
  usage: USAGE,
  container: null,
  context_management: null,
  ...more,
})

type Block = { type: string; [key: string]: unknown }

/** Streams blocks as the provider does: texts, thoughts and inputs in pieces, results of its own tools whole. */
function frames(blocks: readonly Block[], stop_reason: string, delta: object = {}): object[] {
  const start = { ...FACTS, content: [], stop_reason: null, stop_sequence: null, usage: { ...USAGE, output_tokens: 4 } }
  return [
    { type: 'message_start', message: start },
    ...blocks.flatMap((block, index) => [
      ...blockFrames(block).map((frame) => ({ ...frame, index })),
      { type: 'content_block_stop', index },
      { type: 'ping' },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null, ...delta },
      usage: { ...USAGE, server_tool_use: { web_search_requests: 1 } },
    },
    { type: 'message_stop' },
  ]
}

function blockFrames(block: Block): object[] {
  const begin = (content_block: object): object => ({ type: 'content_block_start', content_block })
  const piece = (delta: object): object => ({ type: 'content_block_delta', delta })
  switch (block.type) {
    case 'text': {
      const { text, citations = [] } = block as unknown as { text: string; citations?: object[] }
      return [
        begin({ type: 'text', text: '', ...(citations.length > 0 && { citations: [] }) }),
        ...citations.map((citation) => piece({ type: 'citations_delta', citation })),
        ...[text.slice(0, 3), text.slice(3)].map((part) => piece({ type: 'text_delta', text: part })),
      ]
    }
    case 'thinking':
      return [
        begin({ type: 'thinking', thinking: '', signature: '' }),
        ...(block['thinking'] === '' ? [] : [piece({ type: 'thinking_delta', thinking: block['thinking'] })]),
        piece({ type: 'signature_delta', signature: block['signature'] }),
      ]
    case 'tool_use':
    case 'server_tool_use': {
      const json = JSON.stringify(block['input'])
      const parts = ['', json.slice(0, 5), json.slice(5)]
      return [
        begin({ ...block, input: {} }),
        ...parts.map((partial_json) => piece({ type: 'input_json_delta', partial_json })),
      ]
    }
    default:
      return [begin(block)]
  }
}

const both = (blocks: readonly Block[], stop: string): RecordedAnswer => ({
  whole: message([...blocks], stop),
  frames: frames(blocks, stop),
})

const thinking: Block = { type: 'thinking', thinking: 'The user greets.', signature: 'EqQBCgIYAhIM1gbcDa9GJwZA2b3h' }
const hidden: Block = { type: 'thinking', thinking: '', signature: 'EosnCkYICxIMMb3LzNrMu' }
const redacted: Block = {
  type: 'redacted_thinking',
  data: 'EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpPkNRj2YfWXGmKDxH4mPnZ5sQ7vB',
}
const text = (said: string, more: object = {}): Block => ({ type: 'text', text: said, ...more })
const use = (n: number, input: object): Block => ({
  type: 'tool_use',
  id: `toolu_01T1x1fJ34qAmk2tNTrN7Up${n}`,
  name: 'weather',
  input,
})
const search: Block = {
  type: 'server_tool_use',
  id: 'srvtoolu_01WYG3ziw53XMcoyKL4XcZmE',
  name: 'web_search',
  input: { query: 'claude shannon birth date' },
}
const found: Block = {
  type: 'web_search_tool_result',
  tool_use_id: search['id'],
  content: [
    {
      type: 'web_search_result',
      url: 'https://en.wikipedia.org/wiki/Claude_Shannon',
      title: 'Claude Shannon - Wikipedia',
      encrypted_content: 'EqgfCioIARgBIiQ3YTAwMjY1Mi1mZjM5LTQ1NGUtODgxNC1kNjNjNTk1ZWI3Y',
      page_age: 'April 30, 2025',
    },
  ],
}
const citation = {
  type: 'web_search_result_location',
  url: 'https://en.wikipedia.org/wiki/Claude_Shannon',
  title: 'Claude Shannon - Wikipedia',
  encrypted_index: 'Eo8BCioIAhgBIiQyYjQ0OWJmZi1lNm..',
  cited_text: 'Claude Elwood Shannon (April 30, 1916 – February 24, 2001)',
}
const run: Block = { type: 'server_tool_use', id: 'srvtoolu_02', name: 'bash_code_execution', input: { command: 'ls' } }
const ran: Block = {
  type: 'bash_code_execution_tool_result',
  tool_use_id: 'srvtoolu_02',
  content: { type: 'bash_code_execution_result', stdout: 'a.txt\n', stderr: '', return_code: 0, content: [] },
}

const TOOL: ToolSchema = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
}

interface Case {
  readonly recorded: RecordedAnswer
  readonly content: string | null
  readonly finish: string
  readonly calls?: number
  /** Types of the blocks of the turn that goes back. */
  readonly back: readonly string[]
  readonly params?: Partial<ModelParams>
}

const CASES: Record<string, Case> = {
  'a text': { recorded: both([text('Hello!')], 'end_turn'), content: 'Hello!', finish: 'stop', back: ['text'] },
  'thinking, a text and a call': {
    recorded: both([thinking, text('Let me see.'), use(1, { city: 'Rome' })], 'tool_use'),
    content: 'Let me see.',
    finish: 'tool_calls',
    calls: 1,
    back: ['thinking', 'text', 'tool_use'],
    params: { tools: [TOOL], thinking: { type: 'enabled', budget_tokens: 2048 } },
  },
  'redacted thinking and parallel calls': {
    recorded: both([thinking, redacted, use(1, { city: 'Rome' }), use(2, {})], 'tool_use'),
    content: null,
    finish: 'tool_calls',
    calls: 2,
    back: ['thinking', 'redacted_thinking', 'tool_use', 'tool_use'],
    params: { tools: [TOOL], thinking: { type: 'enabled', budget_tokens: 2048 } },
  },
  'thinking that is not shown': {
    recorded: both([hidden, text('22 degrees.')], 'end_turn'),
    content: '22 degrees.',
    finish: 'stop',
    back: ['thinking', 'text'],
  },
  'a search of its own with citations': {
    recorded: both(
      [
        text('I will search.'),
        search,
        found,
        text('Based on it, '),
        text('Claude Shannon was born on April 30, 1916', { citations: [citation] }),
        text(', in Petoskey.'),
      ],
      'end_turn',
    ),
    content: 'I will search.Based on it, Claude Shannon was born on April 30, 1916, in Petoskey.',
    finish: 'stop',
    back: ['text', 'server_tool_use', 'web_search_tool_result', 'text', 'text', 'text'],
  },
  'code that it ran, between thoughts, and a call of ours': {
    recorded: both([thinking, run, ran, thinking, text('Now the weather.'), use(1, { city: 'Rome' })], 'tool_use'),
    content: 'Now the weather.',
    finish: 'tool_calls',
    calls: 1,
    back: ['thinking', 'server_tool_use', 'bash_code_execution_tool_result', 'thinking', 'text', 'tool_use'],
    params: { tools: [TOOL] },
  },
  'a refusal': { recorded: both([], 'refusal'), content: '', finish: 'content_filter', back: [] },
  'a refusal in the middle': {
    recorded: both([text('Sure, ')], 'refusal'),
    content: 'Sure, ',
    finish: 'content_filter',
    back: ['text'],
  },
  'a window that is full': {
    recorded: both([text('And so')], 'model_context_window_exceeded'),
    content: 'And so',
    finish: 'length',
    back: ['text'],
  },
  'an empty end after results': { recorded: both([], 'end_turn'), content: '', finish: 'stop', back: [] },
  'a stop text': {
    recorded: { whole: message([text('One, two')], 'stop_sequence', { stop_sequence: 'three' }) },
    content: 'One, two',
    finish: 'stop',
    back: ['text'],
  },
}

const turnOf = (body: Record<string, unknown>): Block[] =>
  (body['messages'] as { role: string; content: Block[] }[]).find(({ role }) => role === 'assistant')?.content ?? []

describe.each(Object.entries(CASES))('%s', (_, { recorded, content, finish, calls = 0, back, params }) => {
  const asked = { provider: anthropic, entry, params }
  const readAll = async (): Promise<ModelAnswer[]> => await readRecording(asked, recorded)

  test('is read, complete and streamed', async () => {
    for (const { id, model, choices, usage } of await readAll()) {
      expect({ id, model }).toEqual({ id: FACTS.id, model: FACTS.model })
      expect(choices[0]!.message.content).toBe(content)
      expect(choices[0]!.finish_reason).toBe(finish)
      expect(choices[0]!.message.tool_calls?.length ?? 0).toBe(calls)
      expect(usage).toMatchObject({
        prompt_tokens: 472 + 128 + 1024,
        completion_tokens: 89,
        cached_tokens: 1024,
        cache_write_tokens: 128,
      })
    }
  })

  test('goes back, is taken, and keeps what only the provider can read', async () => {
    for (const answer of await readAll()) {
      const body = await nextRequest(asked, answer, anthropicFormat.whole({ text: 'ok' }))
      expect(refusalOf(anthropicFormat, entry, body)).toBeUndefined()
      expect(turnOf(body).map(({ type }) => type)).toEqual(back)
      const sent = JSON.stringify(body)
      for (const block of [thinking, hidden, redacted, search, found, run, ran]) {
        if (JSON.stringify(recorded.whole).includes(JSON.stringify(block)))
          expect(sent).toContain(JSON.stringify(block))
      }
      // What says where a text is from has to come back with it.
      if (JSON.stringify(recorded.whole).includes('encrypted_index')) expect(sent).toContain(citation.encrypted_index)
    }
  })
})

test('an interrupted turn goes back as it is', async () => {
  const blocks = [thinking, search, found, text('So far: '), search]
  for (const answer of await readRecording({ provider: anthropic, entry }, both(blocks, 'pause_turn'))) {
    const { message: paused, finish_reason: reason } = answer.choices[0]!
    expect(reason).toBe('pause_turn')
    const messages: ChatMessage[] = [{ role: 'user', content: 'Hi' }, paused]
    const { body } = await exchange(
      anthropic,
      entry,
      { model: entry.model, messages },
      { whole: message([], 'end_turn') },
    )
    expect(turnOf(body)).toEqual(blocks)
    expect(refusalOf(anthropicFormat, entry, body)).toBeUndefined()
  }
})
