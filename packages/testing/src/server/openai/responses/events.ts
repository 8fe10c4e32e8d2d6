import { halves, words } from '../../../scripted/answer-events.ts'
import { responsesBody, unfinishedBody, type OutputItem, type ResponsesReply } from './body.ts'

/** One event of a streamed answer. */
export type ResponsesEvent = Readonly<Record<string, unknown>> & { readonly type: string }

/** A streamed answer, cut at the places where failures happen. */
export interface ResponsesEvents {
  /** Events before any content. */
  readonly opening: readonly ResponsesEvent[]
  readonly content: readonly ResponsesEvent[]
  /** The last event, with the whole answer. */
  readonly closing: readonly ResponsesEvent[]
}

/** Builds the events of an answer as the API sends them; `pieces` of its text, by default its words. */
export function responsesEvents(reply: ResponsesReply, pieces?: readonly string[]): ResponsesEvents {
  let number = 0
  const numbered = ({ type, ...rest }: ResponsesEvent): ResponsesEvent => ({
    type,
    sequence_number: number++,
    ...rest,
  })
  const begun = unfinishedBody(reply)
  const opening = ['response.created', 'response.in_progress'].map((type) => ({ type, response: begun }))
  const content = reply.output.flatMap((item, at) => itemEvents(item, at, pieces))
  const type = reply.incomplete === undefined ? 'response.completed' : 'response.incomplete'
  return {
    opening: opening.map(numbered),
    content: content.map(numbered),
    closing: [{ type, response: responsesBody(reply) }].map(numbered),
  }
}

function itemEvents(item: OutputItem, at: number, pieces: readonly string[] | undefined): ResponsesEvent[] {
  const place = { item_id: item['id'], output_index: at }
  return [
    { type: 'response.output_item.added', output_index: at, item: { ...item, ...emptied(item) } },
    ...inner(item, pieces).map(({ type, ...rest }) => ({ type, ...place, ...rest })),
    { type: 'response.output_item.done', output_index: at, item },
  ]
}

/** Returns an item as it begins: without the content that is streamed. */
function emptied({ type, status }: OutputItem): object {
  const begun = status === undefined ? {} : { status: 'in_progress' }
  if (type === 'message') return { ...begun, content: [] }
  if (type === 'function_call') return { ...begun, arguments: '' }
  if (type === 'custom_tool_call') return { input: '' }
  return type === 'reasoning' ? { summary: [] } : begun
}

function inner(item: OutputItem, pieces: readonly string[] | undefined): ResponsesEvent[] {
  switch (item.type) {
    case 'message':
      return partsIn(item['content']).flatMap((part, n) => partEvents(part, n, pieces))
    case 'reasoning':
      return partsIn(item['summary']).flatMap((part, n) => [
        { type: 'response.reasoning_summary_part.added', summary_index: n, part: { type: 'summary_text', text: '' } },
        ...words(textIn(part['text'])).map((delta) => ({
          type: 'response.reasoning_summary_text.delta',
          summary_index: n,
          delta,
        })),
        { type: 'response.reasoning_summary_text.done', summary_index: n, text: part['text'] },
        { type: 'response.reasoning_summary_part.done', summary_index: n, part },
      ])
    case 'function_call':
      return callEvents('response.function_call_arguments', 'arguments', textIn(item['arguments']))
    case 'custom_tool_call':
      return callEvents('response.custom_tool_call_input', 'input', textIn(item['input']))
    case 'web_search_call':
      return ['in_progress', 'searching', 'completed'].map((state) => ({ type: `response.web_search_call.${state}` }))
    default:
      return []
  }
}

function partEvents(part: Part, n: number, pieces: readonly string[] | undefined): ResponsesEvent[] {
  const refusal = part['type'] === 'refusal'
  const key = refusal ? 'refusal' : 'text'
  const kind = refusal ? 'response.refusal' : 'response.output_text'
  const text = textIn(part[key])
  const cut = !refusal && pieces?.join('') === text ? pieces : words(text)
  const place = { content_index: n }
  return [
    { type: 'response.content_part.added', ...place, part: { ...part, [key]: '' } },
    ...cut.map((delta) => ({ type: `${kind}.delta`, ...place, delta, ...(!refusal && { logprobs: [] }) })),
    { type: `${kind}.done`, ...place, [key]: text },
    { type: 'response.content_part.done', ...place, part },
  ]
}

const callEvents = (kind: string, key: string, text: string): ResponsesEvent[] => [
  ...halves(text).map((delta) => ({ type: `${kind}.delta`, delta })),
  { type: `${kind}.done`, [key]: text },
]

type Part = Readonly<Record<string, unknown>>

const partsIn = (value: unknown): Part[] => (Array.isArray(value) ? (value as Part[]) : [])

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
