import { providerContract } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { openai } from './openai.ts'
import { delta, framesOf, wholeAnswer } from './wire.fake.ts'

const error = (body: object): string => JSON.stringify({ error: { param: null, type: null, code: null, ...body } })
const calls = ['a', 'b'].map((id) => ({
  id: `call_${id}`,
  type: 'function',
  function: { name: id, arguments: `{"${id}": 1}` },
}))
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const model = 'gpt-4o-mini'

providerContract(
  { describe, test, expect },
  {
    provider: openai,
    config: { model },
    recordings: [
      {
        name: 'a text',
        whole: JSON.stringify(wholeAnswer({ role: 'assistant', content: 'Grüße, 世界' }, { model })),
        stream: framesOf([
          delta({ role: 'assistant', content: '' }),
          delta({ content: 'Grüße, ' }),
          delta({ content: '世界' }),
          delta({}, 'stop'),
          { choices: [], usage },
        ]),
        says: { text: 'Grüße, 世界', finish: 'stop' },
      },
      {
        name: 'two calls at once',
        whole: JSON.stringify(
          wholeAnswer(undefined, {
            model,
            choices: [
              {
                index: 0,
                message: { role: 'assistant', content: null, tool_calls: calls },
                finish_reason: 'tool_calls',
              },
            ],
          }),
        ),
        stream: framesOf([
          ...calls.flatMap((call, index) => [
            delta({ tool_calls: [{ index, ...call, function: { name: call.function.name, arguments: '' } }] }),
            delta({ tool_calls: [{ index, function: { arguments: call.function.arguments } }] }),
          ]),
          delta({}, 'tool_calls'),
          { choices: [], usage },
        ]),
        says: { text: '', calls: calls.map((call) => call.function), finish: 'tool_calls' },
      },
    ],
    failures: [
      { status: 401, body: error({ message: 'Incorrect API key provided', code: 'invalid_api_key' }), kind: 'auth' },
      { status: 404, body: error({ message: 'The model does not exist', code: 'model_not_found' }), kind: 'not-found' },
      {
        status: 429,
        body: error({ message: 'Slow down' }),
        headers: { 'retry-after': '3' },
        kind: 'rate-limit',
        retryAfterMs: 3000,
      },
      { status: 429, body: error({ message: 'No money', code: 'insufficient_quota' }), kind: 'quota' },
      { status: 400, body: error({ message: 'Too long', code: 'context_length_exceeded' }), kind: 'context-overflow' },
      { status: 400, body: error({ message: 'Filtered', code: 'content_filter' }), kind: 'content-filter' },
      { status: 500, body: error({ message: 'Sorry' }), kind: 'server' },
      { status: 503, body: '<html>busy</html>', kind: 'overloaded' },
    ],
    errorFrame: { text: `data: ${error({ message: 'busy', type: 'overloaded_error' })}\n\n`, kind: 'overloaded' },
    unknownFrame: 'event: novelty\ndata: {"object":"novel.event","payload":{}}\n\n',
  },
)
