import type { ChatMessage } from '@x/interfaces'

/** A picture of one pixel. */
const PIXEL_DATA_URL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/**
 * Returns a conversation of twelve messages that is hard to send: a system text, parallel calls, a failed tool, an image,
 * signed reasoning of another provider, an empty text, ids and names that no provider accepts, arguments that are not JSON.
 */
export function longHistory(): ChatMessage[] {
  return [
    { role: 'system', content: 'You answer briefly.' },
    { role: 'user', name: 'user proxy', content: 'What is the weather in Paris and Rome?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        { id: 'functions.weather:0', type: 'function', function: { name: 'weather', arguments: '{"city":"Paris"}' } },
        {
          id: `call_${'x'.repeat(80)}`,
          type: 'function',
          function: { name: 'weather', arguments: '{"city":"Rome"}' },
        },
      ],
      provider_metadata: { elsewhere: { signature: 'c2lnbmF0dXJl' } },
    },
    {
      role: 'tool',
      content: 'Sunny.\n\nError: no such city',
      tool_responses: [
        { tool_call_id: 'functions.weather:0', role: 'tool', content: 'Sunny.' },
        { tool_call_id: `call_${'x'.repeat(80)}`, role: 'tool', content: 'Error: no such city' },
      ],
    },
    { role: 'assistant', content: 'Sunny in Paris. Rome is not known.  ' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'And here?' },
        { type: 'image_url', image_url: { url: PIXEL_DATA_URL } },
      ],
    },
    {
      role: 'assistant',
      content: 'I look it up.',
      tool_calls: [{ function: { name: 'geo.locate!', arguments: 'no json' } }],
    },
    { role: 'tool', tool_responses: [{ role: 'tool', content: '[1, 2]' }] },
    { role: 'assistant', content: 'Somewhere.', name: 'guide', provider_metadata: { nobody: 1 } },
    { role: 'user', content: '' },
    { role: 'system', content: 'Mind the units.' },
    { role: 'user', content: 'Go on, then.' },
  ]
}
