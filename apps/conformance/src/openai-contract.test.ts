import * as model from '@x/model'
import { openai } from '@x/provider-openai'
import { providerContract, type ProviderRecording } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'

const facts = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'gpt-4o-2024-08-06' }
const usage = {
  prompt_tokens: 30,
  completion_tokens: 9,
  total_tokens: 39,
  prompt_tokens_details: { cached_tokens: 20 },
  completion_tokens_details: { reasoning_tokens: 0 },
}

const counts = { prompt: 30, completion: 9, cached: 20, reasoning: 0 }

function recording(
  name: string,
  message: object,
  deltas: object[],
  says: ProviderRecording['says'],
): ProviderRecording {
  const chunk = (rest: object): string =>
    `data: ${JSON.stringify({ ...facts, object: 'chat.completion.chunk', ...rest })}\n\n`
  const choice = (delta: object, reason: string | null): string =>
    chunk({ choices: [{ index: 0, delta, finish_reason: reason }], usage: null })
  return {
    name,
    whole: JSON.stringify({
      ...facts,
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', refusal: null, ...message }, finish_reason: says.finish }],
      usage,
    }),
    stream: [
      choice({ role: 'assistant', content: '' }, null),
      ...deltas.map((delta) => choice(delta, null)),
      choice({}, says.finish),
      chunk({ choices: [], usage }),
      'data: [DONE]\n\n',
    ].join(''),
    says,
  }
}

const call = (id: string, args: string): object => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: args },
})
const piece = (index: number, args: string, id?: string): object => ({
  tool_calls: [
    { index, ...(id && { id, type: 'function' }), function: { ...(id && { name: 'weather' }), arguments: args } },
  ],
})
const error = (message: string, code: string | null = null): string =>
  JSON.stringify({ error: { message, type: 'x', param: null, code } })

providerContract(
  { describe, test, expect },
  {
    provider: openai,
    model,
    config: { model: 'gpt-4o' },
    recordings: [
      recording('a text', { content: 'Sunny – 22 °C' }, [{ content: 'Sunny – ' }, { content: '22 °C' }], {
        text: 'Sunny – 22 °C',
        finish: 'stop',
        usage: counts,
      }),
      recording(
        'two calls',
        { content: null, tool_calls: [call('c1', '{"city":"Rome"}'), call('c2', '{}')] },
        [piece(0, '', 'c1'), piece(0, '{"city"'), piece(0, ':"Rome"}'), piece(1, '', 'c2'), piece(1, '{}')],
        {
          text: '',
          calls: [
            { name: 'weather', arguments: '{"city":"Rome"}' },
            { name: 'weather', arguments: '{}' },
          ],
          finish: 'tool_calls',
          usage: counts,
        },
      ),
    ],
    failures: [
      { status: 400, body: error('too long', 'context_length_exceeded'), kind: 'context-overflow' },
      { status: 400, body: error('filtered', 'content_filter'), kind: 'content-filter' },
      { status: 401, body: error('no such key', 'invalid_api_key'), kind: 'auth' },
      { status: 404, body: error('no such model', 'model_not_found'), kind: 'not-found' },
      {
        status: 429,
        body: error('slow down'),
        headers: { 'retry-after-ms': '1500' },
        kind: 'rate-limit',
        retryAfterMs: 1500,
      },
      { status: 429, body: error('pay', 'insufficient_quota'), kind: 'quota' },
      { status: 500, body: error('oops'), kind: 'server' },
    ],
    errorFrame: { text: 'data: {"error":{"message":"Overloaded","type":"overloaded_error"}}\n\n', kind: 'overloaded' },
    unknownFrame: 'data: {"object":"weather.report"}\n\n',
  },
)
