import { halves, words } from '../../scripted/answer-events.ts'
import type { ServerChoice } from '../reply.ts'
import { callId, finishReason, wireUsage, type ChatAnswer } from './chat-answer.ts'
import type { ChatRequest } from './chat-request.ts'

/** A streamed answer, cut at the places where failures happen. */
export interface ChatChunks {
  /** Chunk before any content. */
  readonly opening: readonly object[]
  /** The content; the pieces of several choices take turns. */
  readonly content: readonly object[]
  /** Chunks with the finish reason and, if requested, the usage. */
  readonly closing: readonly object[]
}

/** Builds the chunks of an answer in the API's order: role, pieces of content, finish reason, usage. */
export function chatChunks({ usage, choices, ...facts }: ChatAnswer, { includeUsage, azure }: ChatRequest): ChatChunks {
  const frame = { ...facts, object: 'chat.completion.chunk', service_tier: 'default', system_fingerprint: 'fp_fake' }
  const chunk = (index: number, delta: object, finish_reason: string | null): object => ({
    ...frame,
    choices: [{ index, delta, logprobs: null, finish_reason, ...(azure && { content_filter_results: {} }) }],
    ...(includeUsage && { usage: null }),
  })
  const queues = choices.map((choice) => deltas(choice))
  const longest = Math.max(0, ...queues.map(({ length }) => length))
  const content = Array.from({ length: longest }, (_, turn) =>
    queues.flatMap((queue, index) => (queue[turn] ? [chunk(index, queue[turn], null)] : [])),
  ).flat()
  return {
    opening: [...(azure ? [promptFilter] : []), ...choices.map((choice, index) => chunk(index, opening(choice), null))],
    content,
    closing: [
      ...choices.map((choice, index) => chunk(index, {}, finishReason(choice))),
      ...(includeUsage && usage ? [{ ...frame, choices: [], usage: wireUsage(usage) }] : []),
    ],
  }
}

/** Azure begins with a chunk without choices, which reports the content filter on the prompt. */
const promptFilter = {
  id: '',
  object: '',
  created: 0,
  model: '',
  choices: [],
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
}

const opening = ({ content, pieces }: ServerChoice): object => ({
  role: 'assistant',
  content: (content ?? pieces ?? null) === null ? null : '',
  refusal: null,
})

function deltas({
  content,
  pieces,
  refusal,
  reasoning_content: thoughts,
  tool_calls: calls = [],
}: ServerChoice): object[] {
  return [
    ...words(thoughts ?? '').map((piece) => ({ reasoning_content: piece })),
    ...(pieces ?? words(content ?? '')).map((piece) => ({ content: piece })),
    ...words(refusal ?? '').map((piece) => ({ refusal: piece })),
    ...calls.flatMap(({ id, function: called }, index) => [
      {
        tool_calls: [
          { index, id: callId(id, index), type: 'function', function: { name: called.name, arguments: '' } },
        ],
      },
      ...halves(called.arguments).map((piece) => ({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ]
}
