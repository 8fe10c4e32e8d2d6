import type { ConfigEntry, ModelParams } from '@x/interfaces'
import { openai } from '@x/provider-openai'
import { responsesFormat } from '@x/testing/openai'
import { describe, expect, test } from 'vitest'
import { readRecording, nextRequest, type RecordedAnswer } from './recorded-exchange.fake.ts'
import { refusalOf } from './any-history.fake.ts'

/** Answers of OpenAI's Responses API and of compatible endpoints, each in its own form. */
const USAGE = {
  input_tokens: 1117,
  input_tokens_details: { cached_tokens: 1024 },
  output_tokens: 46,
  output_tokens_details: { reasoning_tokens: 32 },
  total_tokens: 1163,
}
const FACTS = {
  id: 'resp_68c1a2',
  object: 'response',
  created_at: 1_760_000_000,
  model: 'gpt-5.5-2026-04-23',
  background: false,
  error: null,
  incomplete_details: null,
  instructions: null,
  max_output_tokens: null,
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: 'medium', summary: null },
  service_tier: 'default',
  store: false,
  text: { format: { type: 'text' }, verbosity: 'medium' },
  tool_choice: 'auto',
  tools: [],
  truncation: 'disabled',
  user: null,
  metadata: {},
}
type Item = Readonly<Record<string, unknown>>
type Event = Readonly<Record<string, unknown>> & { readonly type: string }

const whole = (output: readonly Item[], more: object = {}): object => ({
  ...FACTS,
  status: 'completed',
  output,
  usage: USAGE,
  ...more,
})
const begun: Event = {
  type: 'response.created',
  sequence_number: 0,
  response: { ...FACTS, status: 'in_progress', output: [], usage: null },
}
const added = (at: number, item: Item): Event => ({ type: 'response.output_item.added', output_index: at, item })
const done = (at: number, item: Item): Event => ({ type: 'response.output_item.done', output_index: at, item })
const ended = (output: readonly Item[]): Event => ({ type: 'response.completed', response: whole(output) })
const piece = (kind: string, at: number, item: string, delta: string): Event => ({
  type: `response.${kind}.delta`,
  output_index: at,
  item_id: item,
  content_index: 0,
  delta,
  obfuscation: 'dAc5cVZbGv9sV',
})

const said = (text: string, more: object = {}): Item => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  ...more,
})
const thought = (id: string, more: object = {}): Item => ({
  id,
  type: 'reasoning',
  summary: [],
  encrypted_content: 'gAAAAA',
  ...more,
})
const call = (id: string, args: string, more: object = {}): Item => ({
  id: `fc_${id}`,
  type: 'function_call',
  status: 'completed',
  call_id: `call_${id}`,
  name: 'weather',
  arguments: args,
  ...more,
})

interface Case {
  readonly recorded: RecordedAnswer
  readonly content: string | null
  readonly finish: string
  readonly calls?: readonly string[]
  /** Types of the items that the next request sends between the two questions, without results. */
  readonly back: readonly string[]
  readonly params?: Partial<ModelParams>
  readonly entry?: ConfigEntry
}

const both = (output: readonly Item[], events: readonly Event[] = []): RecordedAnswer => ({
  whole: whole(output),
  frames: [begun, ...(events.length > 0 ? events : output.map((item, at) => done(at, item))), ended(output)],
})

const parallel = [thought('rs_1'), call('1', '{"city":"Rome"}'), call('2', '{"city":"Oslo"}')]
const phased = [thought('rs_1'), said('I look.', { phase: 'commentary' }), call('1', '{}')]
const searched = [
  thought('rs_1'),
  {
    id: 'ws_1',
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: 'weather rome', sources: [{ type: 'url', url: 'https://w.example' }] },
  },
  thought('rs_2'),
  said('Sunny.', {
    content: [
      {
        type: 'output_text',
        text: 'Sunny.',
        annotations: [{ type: 'url_citation', url: 'https://w.example', title: 'W', start_index: 0, end_index: 6 }],
        logprobs: [],
      },
    ],
  }),
]
const ran = [
  thought('rs_1'),
  {
    id: 'ci_1',
    type: 'code_interpreter_call',
    status: 'completed',
    code: 'print(4)',
    container_id: 'cntr_1',
    outputs: [{ type: 'logs', logs: '4\n' }],
  },
  said('Four.'),
]
const remote = [
  { id: 'mcpl_1', type: 'mcp_list_tools', server_label: 'w', tools: [{ name: 'weather', input_schema: {} }] },
  thought('rs_1'),
  { id: 'mcp_1', type: 'mcp_call', server_label: 'w', name: 'weather', arguments: '{}', output: 'Sunny.', error: null },
  said('Sunny.'),
]
const drawn = [
  { id: 'ig_1', type: 'image_generation_call', status: 'completed', output_format: 'png', result: 'iVBORw0KGgo=' },
  said('Here.'),
]
const open = [
  thought('rs_1', { encrypted_content: null, content: [{ type: 'reasoning_text', text: 'Hm.' }] }),
  call('1', '{"city":"Rome"}'),
]

const CASES: Record<string, Case> = {
  'a text': {
    recorded: both(
      [said('Hello!')],
      [
        { type: 'response.in_progress', response: { ...FACTS, status: 'in_progress', output: [] } },
        added(0, { ...said('', { content: [] }), status: 'in_progress' }),
        { type: 'response.content_part.added', output_index: 0, part: { type: 'output_text', text: '' } },
        piece('output_text', 0, 'msg_1', 'Hel'),
        piece('output_text', 0, 'msg_1', 'lo!'),
        { type: 'response.output_text.done', output_index: 0, text: 'Hello!' },
        { type: 'response.content_part.done', output_index: 0, part: { type: 'output_text', text: 'Hello!' } },
        done(0, said('Hello!')),
      ],
    ),
    content: 'Hello!',
    finish: 'stop',
    back: ['message'],
  },
  'parallel calls, one behind the other': {
    recorded: both(parallel, [
      added(0, thought('rs_1')),
      done(0, parallel[0]!),
      added(1, call('1', '')),
      piece('function_call_arguments', 1, 'fc_1', '{"city"'),
      piece('function_call_arguments', 1, 'fc_1', ':"Rome"}'),
      { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{"city":"Rome"}' },
      done(1, parallel[1]!),
      added(2, call('2', '')),
      piece('function_call_arguments', 2, 'fc_2', '{"city":"Oslo"}'),
      done(2, parallel[2]!),
    ]),
    content: null,
    finish: 'tool_calls',
    calls: ['{"city":"Rome"}', '{"city":"Oslo"}'],
    back: ['reasoning', 'function_call', 'function_call'],
  },
  'a comment in front of a call': {
    recorded: both(phased),
    content: 'I look.',
    finish: 'tool_calls',
    calls: ['{}'],
    back: ['reasoning', 'message', 'function_call'],
  },
  'a search with citations': {
    recorded: both(searched, [
      ...searched.slice(0, 2).map((item, at) => done(at, item)),
      { type: 'response.web_search_call.completed', output_index: 1, item_id: 'ws_1' },
      done(2, searched[2]!),
      piece('output_text', 3, 'msg_1', 'Sunny.'),
      { type: 'response.output_text.annotation.added', output_index: 3, annotation: { type: 'url_citation' } },
      done(3, searched[3]!),
    ]),
    content: 'Sunny.',
    finish: 'stop',
    back: ['reasoning', 'web_search_call', 'reasoning', 'message'],
  },
  'code that ran at the provider': {
    recorded: both(ran),
    content: 'Four.',
    finish: 'stop',
    back: ['reasoning', 'code_interpreter_call', 'message'],
  },
  'tools of a remote server': {
    recorded: both(remote),
    content: 'Sunny.',
    finish: 'stop',
    back: ['mcp_list_tools', 'reasoning', 'mcp_call', 'message'],
  },
  'an image': {
    recorded: both(drawn, [
      added(0, { ...drawn[0]!, result: null, status: 'in_progress' }),
      { type: 'response.image_generation_call.partial_image', output_index: 0, partial_image_b64: 'iVBOR' },
      done(0, drawn[0]!),
      done(1, drawn[1]!),
    ]),
    content: 'Here.',
    finish: 'stop',
    back: ['image_generation_call', 'message'],
  },
  'reasoning that was stored there, from the time when it was': {
    recorded: both([thought('rs_1', { encrypted_content: undefined }), said('Hello!')]),
    content: 'Hello!',
    finish: 'stop',
    back: ['message'],
  },
  'an answer that was cut while it reasoned': {
    recorded: {
      whole: whole([thought('rs_1')], { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }),
    },
    content: '',
    finish: 'length',
    back: [],
  },
  'an open model on a server of one’s own: text of the reasoning, no numbers of events': {
    recorded: both(open, [
      { type: 'response.output_item.added', item: { ...open[0]!, content: [] } },
      { type: 'response.reasoning_text.delta', item_id: 'rs_1', delta: 'Hm.' },
      { type: 'response.output_item.done', item: open[0] },
      { type: 'response.output_item.added', item: call('1', '') },
      { type: 'response.function_call_arguments.delta', item_id: 'fc_1', delta: '{"city":"Rome"}' },
      { type: 'response.output_item.done', item: open[1] },
    ]),
    content: null,
    finish: 'tool_calls',
    calls: ['{"city":"Rome"}'],
    back: ['reasoning', 'function_call'],
    entry: { model: 'gpt-oss-120b', api: 'responses' },
  },
}

describe.each(Object.entries(CASES))(
  '%s',
  (_, { recorded, content, finish, calls = [], back, params, entry = { model: 'gpt-5.5', api: 'responses' } }) => {
    const asked = { provider: openai, entry, params }

    test('is read, complete and streamed alike', async () => {
      const answers = await readRecording(asked, recorded)
      for (const answer of answers) {
        expect(answer).toMatchObject({
          id: FACTS.id,
          model: FACTS.model,
          usage: { prompt_tokens: 1117, completion_tokens: 46, cached_tokens: 1024, reasoning_tokens: 32 },
        })
        const { message, finish_reason: reason } = answer.choices[0]!
        expect([message.content, reason]).toEqual([content, finish])
        expect((message.tool_calls ?? []).map(({ function: { arguments: args } }) => args)).toEqual(calls)
        expect(answer.choices).toEqual(answers[0]!.choices)
      }
    })

    test('goes back and is taken', async () => {
      for (const answer of await readRecording(asked, recorded)) {
        const body = await nextRequest(asked, answer, whole([said('ok')]))
        const input = body['input'] as Item[]
        const results = calls.map(() => 'function_call_output')
        const types = input.slice(1).map(({ type, role }) => type ?? role)
        expect(types).toEqual([...back, ...(results.length > 0 ? results : ['user'])])
        // A model of another maker may send back what OpenAI would only take sealed.
        if (entry.model === 'gpt-5.5') expect(refusalOf(responsesFormat, entry, body)).toBeUndefined()
      }
    })
  },
)
