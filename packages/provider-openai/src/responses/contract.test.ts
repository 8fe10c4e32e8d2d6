import { responsesFormat } from '@x/testing/openai'
import { createRecordings, providerContract } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import type { OpenAISdk } from '../config.ts'
import { FAILURES } from '../failures.fake.ts'
import { RESPONSES_MEANING } from '../meaning.fake.ts'
import { openai } from '../openai.ts'
import { eventsOf, response, said, thought } from './responses.fake.ts'

const PAGE = 'https://example.com/page'
const cited = { type: 'url_citation', start_index: 0, end_index: 4, url: PAGE, title: 'A page' }
const REST = { service_tier: 'default', instructions: 'Be brief.' }
const beside = [
  { ...thought('rs_1'), summary: [{ type: 'summary_text', text: 'Hm.' }] },
  {
    id: 'ws_1',
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: 'so?', sources: [{ type: 'url', url: PAGE }] },
  },
  said('It is so. '),
  { id: 'ig_1', type: 'image_generation_call', output_format: 'webp', result: 'AAAA' },
  {
    ...said('Look.', { id: 'msg_2' }),
    content: [
      {
        type: 'output_text',
        text: 'Look.',
        annotations: [cited],
        logprobs: [{ token: 'Look.', logprob: -0.5, top_logprobs: [] }],
      },
    ],
  },
]

for (const sdk of ['fetch', 'openai'] satisfies OpenAISdk[]) {
  describe(sdk, () => {
    providerContract(
      { describe, test, expect },
      {
        provider: openai,
        config: { model: 'gpt-5-mini', api: 'responses', sdk },
        meaning: RESPONSES_MEANING,
        skip: ['none', 'xhigh', 'max'].map((effort) => ({
          test: `sent: \`reasoning_effort\` ${effort}`,
          reason: 'the model has other levels: the nearest one is sent, with a warning',
        })),
        recordings: [
          ...createRecordings(responsesFormat),
          {
            name: 'what stands beside a text',
            whole: JSON.stringify(response(beside, REST)),
            stream: eventsOf([
              { type: 'response.created', response: response([], { status: 'in_progress' }) },
              ...beside.flatMap((item, output_index) => [
                { type: 'response.output_item.added', output_index, item: { ...item, content: [], result: null } },
                { type: 'response.output_item.done', output_index, item },
              ]),
              { type: 'response.completed', response: response(beside, REST) },
            ]),
            says: {
              text: 'It is so. Look.',
              finish: 'stop',
              usage: { prompt: 10, completion: 5 },
              details: {
                reasoning: 'Hm.',
                citations: [{ start: 10, end: 14, url: PAGE, title: 'A page', raw: cited }],
                sources: [
                  { type: 'search', text: 'so?' },
                  { type: 'url', url: PAGE },
                ],
                media: [
                  { type: 'image', id: 'ig_1', url: 'data:image/webp;base64,AAAA', media_type: 'image/webp', at: 10 },
                ],
                logprobs: [{ token: 'Look.', logprob: -0.5 }],
                provider_parts: [beside[1]!, { id: 'ig_1', type: 'image_generation_call', output_format: 'webp' }],
              },
            },
          },
        ],
        failures: FAILURES,
        errorFrame: { text: writeFrame(responsesFormat.overloaded), kind: 'overloaded' },
        unknownFrame: writeFrame(responsesFormat.unknown),
      },
    )
  })
}
