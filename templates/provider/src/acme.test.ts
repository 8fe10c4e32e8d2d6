import * as model from '@x/model'
import { providerContract, type ProviderRecording } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { acme } from './acme.ts'

/** Gives an answer as Acme sends it, complete and streamed. */
function recording(name: string, pieces: object[], says: ProviderRecording['says']): ProviderRecording {
  const all = [{ id: 'a1', model: 'acme-1' }, ...pieces]
  return {
    name,
    whole: JSON.stringify({ pieces: all }),
    stream: all.map((piece) => `data: ${JSON.stringify(piece)}\n\n`).join(''),
    says,
  }
}

const call = (id: string, args: object): object => ({ call: { id, name: 'weather', args } })

providerContract(
  { describe, test, expect },
  {
    provider: acme,
    model,
    config: { model: 'acme-1' },
    recordings: [
      recording('a text', [{ text: 'Sunny – ' }, { text: '22 °C' }, { stop: 'done', tokens: { in: 9, out: 4 } }], {
        text: 'Sunny – 22 °C',
        finish: 'stop',
        usage: { prompt: 9, completion: 4 },
      }),
      recording('a thought', [{ thought: 'Hm, ' }, { thought: 'hm.' }, { text: 'Yes' }, { stop: 'length' }], {
        reasoning: 'Hm, hm.',
        text: 'Yes',
        finish: 'length',
        usage: null,
      }),
      recording(
        'two calls',
        [call('c1', { city: 'Rome' }), call('c2', {}), { stop: 'calls', tokens: { in: 9, out: 7 } }],
        {
          text: '',
          calls: [
            { name: 'weather', arguments: '{"city":"Rome"}' },
            { name: 'weather', arguments: '{}' },
          ],
          finish: 'tool_calls',
          usage: { prompt: 9, completion: 7 },
        },
      ),
    ],
    failures: [
      { status: 401, body: '{"error":{"message":"no such key"}}', kind: 'auth' },
      { status: 404, body: '{"error":{"message":"no such model"}}', kind: 'not-found' },
      { status: 429, body: '{}', headers: { 'retry-after': '2' }, kind: 'rate-limit', retryAfterMs: 2000 },
      { status: 500, body: '', kind: 'server' },
    ],
    errorFrame: { text: 'data: {"error":{"type":"overloaded"}}\n\n', kind: 'overloaded' },
    unknownFrame: 'data: {"weather":"fine"}\n\n',
  },
)
