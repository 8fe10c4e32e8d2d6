import { providerContract } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import type { OpenAISdk } from './config.ts'
import { errorBody, FAILURES } from './failures.fake.ts'
import { CHAT_MEANING } from './meaning.fake.ts'
import { openai } from './openai.ts'
import { delta, framesOf, wholeAnswer } from './wire.fake.ts'

const calls = ['a', 'b'].map((id) => ({
  id: `call_${id}`,
  type: 'function',
  function: { name: id, arguments: `{"${id}": 1}` },
}))
const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }
const counts = { prompt: 10, completion: 5 }
const model = 'gpt-4o-mini'
const PAGE = 'https://example.com/page'
const cited = { type: 'url_citation', url_citation: { start_index: 0, end_index: 2, url: PAGE, title: 'A page' } }
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
const token = (text: string): { token: string; logprob: number; bytes: number[] } => ({
  token: text,
  logprob: -0.5,
  bytes: [...new TextEncoder().encode(text)],
})

for (const sdk of ['fetch', 'openai'] satisfies OpenAISdk[]) {
  describe(sdk, () => {
    providerContract(
      { describe, test, expect },
      {
        provider: openai,
        config: { model, sdk },
        meaning: CHAT_MEANING,
        skip: [
          { test: 'sent: `prompt`', reason: 'it is sent to the older endpoint for prompts' },
          {
            test: 'not sent: an image of a tool is refused, or left out with a warning',
            reason: 'it is sent behind the results of its turn',
          },
        ],
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
            says: { text: 'Grüße, 世界', finish: 'stop', usage: counts },
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
            says: { text: '', calls: calls.map((call) => call.function), finish: 'tool_calls', usage: counts },
          },
          {
            name: 'what stands beside a text',
            whole: JSON.stringify(
              wholeAnswer(undefined, {
                model,
                citations: [PAGE],
                search_results: [{ title: 'A page', url: PAGE }],
                service_tier: 'default',
                choices: [
                  {
                    index: 0,
                    message: {
                      role: 'assistant',
                      content: 'So it is.',
                      refusal: null,
                      reasoning_content: 'Hm, hm.',
                      annotations: [cited],
                      images: [image],
                      executed_tools: [{ index: 0, type: 'search' }],
                    },
                    logprobs: { content: [token('So'), token(' it is.')], refusal: null },
                    finish_reason: 'stop',
                    native_finish_reason: 'end_turn',
                    content_filter_results: { hate: { filtered: false } },
                  },
                ],
              }),
            ),
            stream: framesOf([
              { ...delta({ reasoning_content: 'Hm,' }), service_tier: 'default', citations: [PAGE] },
              delta({ reasoning_content: ' hm.' }),
              { choices: [{ index: 0, delta: { content: 'So' }, logprobs: { content: [token('So')] } }] },
              { choices: [{ index: 0, delta: { content: ' it is.' }, logprobs: { content: [token(' it is.')] } }] },
              delta({ annotations: [cited] }),
              delta({ annotations: [cited], images: [image], executed_tools: [{ index: 0, type: 'search' }] }),
              {
                search_results: [{ title: 'A page', url: PAGE }],
                citations: [PAGE],
                choices: [
                  {
                    index: 0,
                    delta: {},
                    finish_reason: 'stop',
                    native_finish_reason: 'end_turn',
                    content_filter_results: { hate: { filtered: false } },
                  },
                ],
              },
              { choices: [], usage },
            ]),
            says: {
              text: 'So it is.',
              finish: 'stop',
              usage: counts,
              details: {
                reasoning: 'Hm, hm.',
                citations: [{ start: 0, end: 2, url: PAGE, title: 'A page', raw: cited }],
                media: [{ type: 'image', url: 'data:image/png;base64,AAAA', media_type: 'image/png', at: 9 }],
                logprobs: [{ ...token('So') }, { ...token(' it is.') }],
                finish_details: { reason: 'end_turn', safety: { hate: { filtered: false } } },
                extra: { executed_tools: [{ index: 0, type: 'search' }] },
              },
            },
          },
        ],
        failures: FAILURES,
        errorFrame: {
          text: `data: ${errorBody({ message: 'busy', type: 'overloaded_error' })}\n\n`,
          kind: 'overloaded',
        },
        unknownFrame: 'event: novelty\ndata: {"object":"novel.event","payload":{}}\n\n',
      },
    )
  })
}
