import { expect, test } from 'vitest'
import { anthropicRefusal } from './anthropic-refusal.ts'

const HI = { role: 'user', content: 'Hi' }
const TOOL = { name: 'f', input_schema: { type: 'object' } }
const THINKING = { type: 'enabled', budget_tokens: 1024 }
const thought = { type: 'thinking', thinking: 'Hm', signature: 's' }
const use = (id: string): object => ({ type: 'tool_use', id, name: 'f', input: {} })
const result = (id: string, more: object = {}): object => ({ type: 'tool_result', tool_use_id: id, ...more })
const turn = (...content: object[]): object => ({ role: 'assistant', content })
const user = (...content: object[]): object => ({ role: 'user', content })

function refusal(body: object): string | undefined {
  const headers = { 'x-api-key': '<key>', 'anthropic-version': '2023-06-01' }
  const whole = { model: 'claude-haiku-4-5', max_tokens: 2048, messages: [HI], ...body }
  return anthropicRefusal({ method: 'POST', path: '/v1/messages', query: {}, headers, body: whole })?.message
}

test.each<[string, object]>([
  ['a question', {}],
  [
    'thinking that goes on after its results',
    {
      thinking: THINKING,
      tools: [TOOL],
      messages: [HI, turn(thought, use('a')), user(result('a'))],
    },
  ],
  [
    'further calls of a turn that began with thinking',
    {
      thinking: THINKING,
      tools: [TOOL],
      messages: [HI, turn(thought, use('a')), user(result('a')), turn(use('b')), user(result('b'))],
    },
  ],
  [
    'an image, a document and a text as the result of a tool',
    {
      tools: [TOOL],
      messages: [
        HI,
        turn(use('a')),
        user(
          result('a', {
            content: [
              { type: 'text', text: 'seen' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
              { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } },
            ],
          }),
        ),
      ],
    },
  ],
  ['an earlier turn without thinking', { thinking: THINKING, messages: [HI, turn({ type: 'text', text: 'Yes' }), HI] }],
  [
    'adaptive thinking over calls of others',
    {
      model: 'claude-opus-4-6',
      thinking: { type: 'adaptive' },
      tools: [TOOL],
      messages: [HI, turn(use('a')), user(result('a'))],
    },
  ],
  ['the beginning of an answer', { messages: [HI, turn({ type: 'text', text: 'It is' })] }],
  [
    'a turn that was broken off',
    {
      model: 'claude-opus-5',
      messages: [HI, turn({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} })],
    },
  ],
  ['a forced tool beside default thinking', { model: 'claude-opus-5', tools: [TOOL], tool_choice: { type: 'any' } }],
  ['no thinking before an answer', { model: 'claude-sonnet-5-5', thinking: { type: 'between_tools' } }],
  ['both kinds of sampling, by another maker', { model: 'someone-elses', temperature: 0.5, top_p: 0.9 }],
])('takes %s', (_, body) => {
  expect(refusal(body)).toBeUndefined()
})

test.each<[object, RegExp]>([
  [{ model: 'claude-opus-5-5', thinking: { type: 'disabled' } }, /"thinking\.type\.disabled" is not supported/u],
  [{ model: 'claude-sonnet-5-5', thinking: { type: 'disabled' } }, /"thinking\.type\.disabled"/u],
  [{ model: 'claude-opus-4-7', thinking: THINKING }, /"thinking\.type\.enabled"/u],
  [{ thinking: { type: 'adaptive' } }, /"thinking\.type\.adaptive"/u],
  [{ model: 'claude-opus-5', thinking: { type: 'between_tools' } }, /"thinking\.type\.between_tools"/u],
  [
    { model: 'claude-haiku-5-5', thinking: { type: 'disabled' }, output_config: { effort: 'max' } },
    /'max' is not supported when thinking is disabled/u,
  ],
  [{ model: 'claude-opus-4-6', output_config: { effort: 'xhigh' } }, /effort: 'xhigh'/u],
  [{ output_config: { effort: 'low' } }, /effort: 'low'/u],
  [{ model: 'claude-fable-5-1', tools: [TOOL], tool_choice: { type: 'tool', name: 'f' } }, /type "tool" and "any"/u],
  [{ max_tokens: 0 }, /max_tokens/u],
  [{ max_tokens: 64_001 }, /maximum allowed/u],
  [{ stop_sequences: [' '] }, /stop_sequences/u],
  [{ temperature: 0.5, top_p: 0.9 }, /cannot both/u],
  [{ model: 'claude-opus-4-7', temperature: 0.5 }, /not supported/u],
  [{ thinking: THINKING, top_k: 5 }, /top_k/u],
  [{ thinking: { type: 'enabled', budget_tokens: 1000 } }, /1024/u],
  [{ output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } }, /additionalProperties/u],
  [{ tools: [TOOL], tool_choice: { type: 'tool', name: 'g' } }, /not found/u],
  [{ thinking: THINKING, tools: [TOOL], messages: [HI, turn(use('a')), user(result('a'))] }, /Expected `thinking`/u],
  [{ thinking: THINKING, messages: [HI, turn({ type: 'text', text: 'It is' })] }, /prefill/u],
  [{ model: 'claude-opus-4-6', messages: [HI, turn({ type: 'text', text: 'It is' })] }, /prefill/u],
  [{ tools: [TOOL], messages: [HI, turn(use('a')), user(result('a', { is_error: true }))] }, /is_error/u],
  [{ tools: [TOOL], messages: [HI, turn(use('a')), HI] }, /without `tool_result`/u],
  [
    { tools: [TOOL], messages: [HI, turn(use('a')), user(result('a', { content: [{ type: 'audio' }] }))] },
    /Input tag 'audio'/u,
  ],
  [
    {
      messages: [
        user({ type: 'document', source: { type: 'base64', media_type: 'application/zip', data: 'UEsDBA==' } }),
      ],
    },
    /application\/pdf/u,
  ],
  [{ tools: [TOOL], messages: [HI, turn(use('a')), user({ type: 'text', text: 'x' }, result('a'))] }, /come first/u],
  [{ messages: [user({ type: 'image', source: { type: 'url', url: 'http://x.org/a.png' } })] }, /HTTPS/u],
  [{ messages: [user({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: '' } })] }, /empty/u],
  [{ messages: [user({ type: 'text', text: '' })] }, /non-whitespace/u],
  [{ messages: [HI, HI] }, /alternate/u],
  [{ n: 2 }, /Extra inputs/u],
  [{ tools: [{ name: 'f', input_schema: { type: 'object', anyOf: [{}] } }] }, /top level/u],
  [
    {
      system: [{ type: 'text', text: 's', cache_control: { type: 'ephemeral' } }],
      messages: [user({ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } })],
    },
    /ttl='1h'/u,
  ],
  [
    { messages: [HI, turn({ type: 'server_tool_use', id: 's1', name: 'web_search', input: {} }), HI] },
    /without a corresponding result/u,
  ],
])('refuses %j', (body, said) => {
  expect(refusal(body)).toMatch(said)
})
