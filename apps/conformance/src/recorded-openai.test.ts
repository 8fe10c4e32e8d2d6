import type { ChatMessage, ConfigEntry, ModelParams, ToolSchema } from '@x/interfaces'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'
import { describe, expect, test } from 'vitest'
import { readRecording, nextRequest, type RecordedAnswer } from './recorded-exchange.fake.ts'

/** Answers of OpenAI and of compatible endpoints, each in its own form. */
const USAGE = {
  prompt_tokens: 1117,
  completion_tokens: 46,
  total_tokens: 1163,
  prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 32,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}
const FACTS = {
  id: 'chatcmpl-CKM8Gq3',
  created: 1_760_000_000,
  model: 'gpt-5-mini-2025-08-07',
  service_tier: 'default',
  system_fingerprint: 'fp_44add557ca',
}

const whole = (message: object, finish: string | null, more: object = {}): object => ({
  ...FACTS,
  object: 'chat.completion',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', refusal: null, annotations: [], ...message },
      logprobs: null,
      finish_reason: finish,
    },
  ],
  usage: USAGE,
  ...more,
})
const chunk = (delta: object | undefined, finish: string | null = null, more: object = {}): object => ({
  ...FACTS,
  object: 'chat.completion.chunk',
  choices: [{ index: 0, ...(delta && { delta }), logprobs: null, finish_reason: finish }],
  usage: null,
  obfuscation: 'dAc5cVZbGv9sV',
  ...more,
})
const used = { ...FACTS, object: 'chat.completion.chunk', choices: [], usage: USAGE }
const call = (id: string, args: string, more: object = {}): object => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
  ...more,
})
const piece = (index: number | undefined, args: string, more: object = {}, name?: string): object => ({
  tool_calls: [
    { ...(index !== undefined && { index }), ...more, function: { ...(name && { name }), arguments: args } },
  ],
})

const TOOL: ToolSchema = {
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} } },
}
const REASONED = 'The user greets.'

interface Case {
  readonly recorded: RecordedAnswer
  readonly content: string | null
  readonly finish: string
  readonly calls?: readonly string[]
  readonly usage?: object | null
  readonly params?: Partial<ModelParams>
  readonly entry?: ConfigEntry
}

const CASES: Record<string, Case> = {
  'a text, its usage in a chunk without choices': {
    recorded: {
      whole: whole({ content: 'Hello!' }, 'stop'),
      frames: [
        chunk({ role: 'assistant', content: '', refusal: null }),
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo!' }),
        chunk({}, 'stop'),
        used,
      ],
    },
    content: 'Hello!',
    finish: 'stop',
  },
  'parallel calls in interleaved pieces': {
    recorded: {
      whole: whole(
        { content: null, tool_calls: [call('call_1', '{"city":"Rome"}'), call('call_2', '{}')] },
        'tool_calls',
      ),
      frames: [
        chunk({ role: 'assistant', content: null }),
        chunk(piece(0, '', { id: 'call_1', type: 'function' }, 'weather')),
        chunk(piece(0, '{"city"')),
        chunk(piece(1, '', { id: 'call_2', type: 'function' }, 'weather')),
        chunk(piece(0, ':"Rome"}')),
        chunk(piece(1, '{}')),
        chunk({}, 'tool_calls'),
        used,
      ],
    },
    content: null,
    finish: 'tool_calls',
    calls: ['{"city":"Rome"}', '{}'],
    params: { tools: [TOOL] },
  },
  'a refusal': {
    recorded: {
      whole: whole({ content: null, refusal: 'I cannot help with that.' }, 'stop'),
      frames: [
        chunk({ role: 'assistant', content: '', refusal: null }),
        chunk({ refusal: 'I cannot ' }),
        chunk({ refusal: 'help with that.' }),
        chunk({}, 'stop'),
        used,
      ],
    },
    content: 'I cannot help with that.',
    finish: 'content_filter',
  },
  'Azure: filter results first and in between, without a model': {
    recorded: {
      frames: [
        {
          id: '',
          object: '',
          created: 0,
          model: '',
          choices: [],
          prompt_filter_results: [
            { prompt_index: 0, content_filter_results: { hate: { filtered: false, severity: 'safe' } } },
          ],
        },
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'Hello!' }, null),
        chunk(undefined, null, {
          choices: [
            { index: 0, finish_reason: null, content_filter_offsets: { check_offset: 44 }, content_filter_results: {} },
          ],
        }),
        chunk({}, 'stop'),
        used,
      ],
    },
    content: 'Hello!',
    finish: 'stop',
  },
  'DeepSeek: reasoning beside the answer': {
    recorded: {
      whole: whole({ content: 'Hello!', reasoning_content: REASONED }, 'stop', {
        usage: {
          prompt_tokens: 1117,
          completion_tokens: 46,
          total_tokens: 1163,
          prompt_cache_hit_tokens: 1024,
          prompt_cache_miss_tokens: 93,
          completion_tokens_details: { reasoning_tokens: 32 },
        },
      }),
      frames: [
        chunk({ role: 'assistant', content: null, reasoning_content: '' }),
        chunk({ content: null, reasoning_content: REASONED }),
        chunk({ content: 'Hello!', reasoning_content: null }),
        chunk({ content: '' }, 'stop', {
          usage: {
            prompt_tokens: 1117,
            completion_tokens: 46,
            total_tokens: 1163,
            prompt_cache_hit_tokens: 1024,
            completion_tokens_details: { reasoning_tokens: 32 },
          },
        }),
      ],
    },
    content: 'Hello!',
    finish: 'stop',
    usage: { prompt_tokens: 1117, completion_tokens: 46, cached_tokens: 1024, reasoning_tokens: 32 },
  },
  'OpenRouter, vLLM: reasoning under another name': {
    recorded: {
      whole: whole(
        { content: 'Hello!', reasoning: REASONED, reasoning_details: [{ type: 'reasoning.text', text: REASONED }] },
        'stop',
      ),
      frames: [
        chunk({ role: 'assistant', content: '', reasoning: REASONED }),
        chunk({ content: 'Hello!' }),
        chunk({ content: '' }, 'stop'),
        used,
      ],
    },
    content: 'Hello!',
    finish: 'stop',
  },
  'Groq: usage under a name of its own': {
    recorded: {
      frames: [
        chunk({ role: 'assistant', content: '' }, null, { x_groq: { id: 'req_01' } }),
        chunk({ content: 'Hello!' }),
        chunk({}, 'stop', {
          x_groq: {
            id: 'req_01',
            usage: { queue_time: 0.1, prompt_tokens: 1117, completion_tokens: 46, total_tokens: 1163 },
          },
        }),
      ],
    },
    content: 'Hello!',
    finish: 'stop',
    usage: { prompt_tokens: 1117, completion_tokens: 46 },
  },
  'Mistral: a call whole in one chunk, with the end, without a type': {
    recorded: {
      frames: [
        chunk({ role: 'assistant', content: '' }),
        chunk(
          {
            content: '',
            tool_calls: [{ id: 'D681PevKs', function: { name: 'weather', arguments: '{"city": "Rome"}' }, index: 0 }],
          },
          'tool_calls',
          { usage: USAGE },
        ),
      ],
    },
    content: null,
    finish: 'tool_calls',
    calls: ['{"city": "Rome"}'],
    params: { tools: [TOOL] },
  },
  'Mistral: content in parts, with its thoughts': {
    recorded: {
      whole: whole(
        {
          content: [
            { type: 'thinking', thinking: [{ type: 'text', text: REASONED }] },
            { type: 'text', text: 'Hello!' },
          ],
        },
        'stop',
      ),
      frames: [
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: REASONED }] }] }),
        chunk({ content: [{ type: 'text', text: 'Hello' }] }),
        chunk({ content: '!' }, 'stop', { usage: USAGE }),
      ],
    },
    content: 'Hello!',
    finish: 'stop',
  },
  'Ollama: a call whole, then the end as if nothing was called': {
    recorded: {
      frames: [
        chunk(
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              {
                id: 'call_k1',
                index: 0,
                type: 'function',
                function: { name: 'weather', arguments: '{"city":"Rome"}' },
              },
            ],
          },
          null,
          { usage: undefined },
        ),
        chunk({ role: 'assistant', content: '' }, 'stop', { usage: undefined }),
        used,
      ],
    },
    content: null,
    finish: 'stop',
    calls: ['{"city":"Rome"}'],
    params: { tools: [TOOL] },
  },
  'vLLM: every chunk says an empty list of calls': {
    recorded: {
      whole: whole({ content: 'Hello!', tool_calls: [], reasoning_content: null }, 'stop', {
        prompt_logprobs: null,
        kv_transfer_params: null,
      }),
      frames: [
        chunk({ role: 'assistant', content: '', tool_calls: [] }),
        chunk({ content: 'Hello!', tool_calls: [] }),
        chunk({ content: '' }, 'stop', { usage: undefined }),
        used,
      ],
    },
    content: 'Hello!',
    finish: 'stop',
  },
  'arguments that are an object': {
    recorded: {
      whole: whole(
        {
          content: '',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: { city: 'Rome' } } }],
        },
        'tool_calls',
      ),
    },
    content: null,
    finish: 'tool_calls',
    calls: ['{"city":"Rome"}'],
    params: { tools: [TOOL] },
  },
  'pieces of calls without a place or with empty ids': {
    recorded: {
      frames: [
        chunk(piece(undefined, '{"city"', { id: 'call_1', type: 'function' }, 'weather')),
        chunk(piece(undefined, ':"Rome"}', { id: '' })),
        chunk({}, 'tool_calls'),
        used,
      ],
    },
    content: null,
    finish: 'tool_calls',
    calls: ['{"city":"Rome"}'],
    params: { tools: [TOOL] },
  },
  'the end of all tokens in a call': {
    recorded: { whole: whole({ content: null, tool_calls: [call('c', '{"city": "Ro')] }, 'length') },
    content: null,
    finish: 'length',
    calls: ['{"city": "Ro'],
    params: { tools: [TOOL] },
  },
}

describe.each(Object.entries(CASES))(
  '%s',
  (_, { recorded, content, finish, calls = [], usage, params, entry = { model: 'gpt-4o' } }) => {
    const asked = { provider: openai, entry, params }

    test('is read, complete and streamed', async () => {
      for (const { id, model, choices, usage: counted } of await readRecording(asked, recorded)) {
        expect({ id, model }).toEqual({ id: FACTS.id, model: FACTS.model })
        const { message, finish_reason: reason } = choices[0]!
        expect(message.content).toBe(content)
        expect(reason).toBe(finish)
        expect((message.tool_calls ?? []).map(({ function: { arguments: args } }) => args)).toEqual(calls)
        expect(counted).toMatchObject(
          usage ?? {
            prompt_tokens: 1117,
            completion_tokens: 46,
            total_tokens: 1163,
            cached_tokens: 1024,
            reasoning_tokens: 32,
          },
        )
      }
    })

    test('goes back and is taken', async () => {
      await using server = await startFakeOpenAI({ strict: true })
      const client = openai.createClient({ ...entry, apiKey: 'key', baseUrl: server.url, maxRetries: 0 })
      for (const answer of await readRecording(asked, recorded)) {
        const body = await nextRequest(asked, answer, whole({ content: 'ok' }, 'stop'))
        const messages = body['messages'] as ChatMessage[]
        await expect(client.create({ model: entry.model!, ...params, messages }, {})).resolves.toBeDefined()
      }
    })
  },
)
