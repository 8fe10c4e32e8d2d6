import { anthropicFormat } from '@x/testing/anthropic'
import { providerContract, createRecordings } from '@x/testing/provider-contract'
import { writeFrame } from '@x/testing/wire'
import { describe, expect, test } from 'vitest'
import { anthropic } from './anthropic.ts'
import { MEANING } from './meaning.fake.ts'

const body = (status: number, message: string): string => JSON.stringify(anthropicFormat.errorBody(status, message))

const PAGE = 'https://example.com/page'
const CITED = { type: 'web_search_result_location', url: PAGE, title: 'A page', cited_text: 'so', encrypted_index: 'e' }
const MESSAGE = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-haiku-4-5',
  content: [],
  stop_reason: null,
  usage: { input_tokens: 3, output_tokens: 4 },
}
const END = { stop_reason: 'stop_sequence', stop_sequence: '###' }
const BLOCKS = [
  { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
  { type: 'text', text: 'Well. ' },
  { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'so?' } },
  {
    type: 'web_search_tool_result',
    tool_use_id: 'srv_1',
    content: [{ type: 'web_search_result', url: PAGE, title: 'A page', encrypted_content: 'e' }],
  },
  { type: 'text', text: 'So it is.', citations: [CITED] },
]

/** The start of a block and its pieces, as a stream has them. */
function piecesOf(block: (typeof BLOCKS)[number]): { type: string; content_block?: object; delta?: object }[] {
  const start = (content_block: object): { type: string; content_block: object } => ({
    type: 'content_block_start',
    content_block,
  })
  const delta = (piece: object): { type: string; delta: object } => ({ type: 'content_block_delta', delta: piece })
  if (block.type === 'text') {
    const { text = '', citations = [] } = block
    const [one, two] = [text.slice(0, 2), text.slice(2)].map((piece) => delta({ type: 'text_delta', text: piece }))
    const cites = citations.map((citation) => delta({ type: 'citations_delta', citation }))
    return [start({ type: 'text', text: '' }), one!, ...cites, two!]
  }
  if (block.type === 'thinking') {
    const { thinking, signature } = block
    return [
      start({ type: 'thinking', thinking: '' }),
      delta({ type: 'thinking_delta', thinking }),
      delta({ type: 'signature_delta', signature }),
    ]
  }
  if (block.input === undefined) return [start(block)]
  return [
    start({ ...block, input: {} }),
    delta({ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }),
  ]
}

providerContract(
  { describe, test, expect },
  {
    provider: anthropic,
    config: { model: 'claude-haiku-4-5' },
    meaning: MEANING,
    skip: [{ test: 'sent: `reasoning_effort` none', reason: 'the model does not think unless it is asked to' }],
    recordings: [
      ...createRecordings(anthropicFormat),
      {
        name: 'what stands beside a text',
        whole: JSON.stringify({ ...MESSAGE, content: BLOCKS, ...END, container: { id: 'c1' } }),
        stream: [
          { type: 'message_start', message: MESSAGE },
          ...BLOCKS.flatMap((block, index) => [
            ...piecesOf(block).map((piece) => ({ index, ...piece })),
            { type: 'content_block_stop', index },
          ]),
          { type: 'message_delta', delta: { ...END, container: { id: 'c1' } }, usage: MESSAGE.usage },
          { type: 'message_stop' },
        ]
          .map((data) => writeFrame({ event: data.type, data: JSON.stringify(data) }))
          .join(''),
        says: {
          text: 'Well. So it is.',
          finish: 'stop',
          usage: { prompt: 3, completion: 4 },
          details: {
            reasoning: 'Hm.',
            citations: [{ start: 6, end: 15, url: PAGE, title: 'A page', quote: 'so', raw: CITED }],
            sources: [
              { type: 'search', text: 'so?' },
              { type: 'url', url: PAGE, title: 'A page' },
            ],
            provider_parts: [BLOCKS[2]!, BLOCKS[3]!],
            finish_details: { reason: 'stop_sequence', stop: '###' },
          },
        },
      },
    ],
    failures: [
      { status: 400, body: body(400, 'prompt is too long: 250000 tokens > 200000 maximum'), kind: 'context-overflow' },
      { status: 400, body: body(400, 'Your credit balance is too low'), kind: 'quota' },
      { status: 400, body: body(400, 'messages: at least one message is required'), kind: 'invalid-request' },
      {
        status: 400,
        body: body(400, 'input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000'),
        kind: 'context-overflow',
      },
      { status: 401, body: body(401, 'invalid x-api-key'), kind: 'auth' },
      { status: 404, body: body(404, 'model: claude-9'), kind: 'not-found' },
      {
        status: 429,
        body: body(429, 'too fast'),
        headers: { 'retry-after': '7' },
        kind: 'rate-limit',
        retryAfterMs: 7000,
      },
      { status: 500, body: body(500, 'Internal server error'), kind: 'server' },
      { status: 529, body: body(529, 'Overloaded'), kind: 'overloaded' },
    ],
    errorFrame: { text: writeFrame(anthropicFormat.overloaded), kind: 'overloaded' },
    unknownFrame: writeFrame(anthropicFormat.unknown),
  },
)
