import { outputItems, responsesBody, type ResponsesReply } from '../server/openai/responses/body.ts'
import { responsesEvents, type ResponsesEvent } from '../server/openai/responses/events.ts'
import { strictResponses } from '../server/openai/responses/strict.ts'
import type { PlainReply, WireFormat, WireFrame } from '../wire/wire-format.ts'

/** Wire format of OpenAI's Responses API. */
export const responsesFormat: WireFormat = {
  name: 'openai responses',
  isStream: ({ body }) => body['stream'] === true,
  refusal: ({ body }) => {
    const refused = strictResponses(body)
    return refused && { status: refused.status, message: refused.error.message }
  },
  whole: (reply) => responsesBody(replyOf(reply)),
  frames(reply) {
    const { opening, content, closing } = responsesEvents(replyOf(reply))
    return [...opening, ...content, ...closing].map(frame)
  },
  errorBody: (_, message) => ({ error: { message, type: 'invalid_request_error', param: null, code: null } }),
  overloaded: frame({
    type: 'error',
    code: 'server_is_overloaded',
    message: 'Our servers are currently overloaded. Please try again later.',
    param: null,
  }),
  unknown: frame({ type: 'response.weather_report.added', sequence_number: 0, sky: 'clear' }),
}

function frame(event: ResponsesEvent): WireFrame {
  return { event: event.type, data: JSON.stringify(event) }
}

function replyOf({
  id = 'resp_1',
  model = 'gpt-5-mini',
  reasoning,
  text,
  calls = [],
  finish,
  usage,
}: PlainReply): ResponsesReply {
  return {
    id,
    created: 1_700_000_000,
    model,
    output: outputItems({
      index: 1,
      text,
      reasoning: reasoning && { text: reasoning.text, sealed: reasoning.signature },
      calls: calls.map((call, n) => ({
        id: call.id ?? `call_${n + 1}`,
        name: call.name,
        arguments: JSON.stringify(call.args ?? {}),
      })),
    }),
    incomplete: finish === 'length' ? 'max_output_tokens' : finish === 'content_filter' ? 'content_filter' : undefined,
    usage: usage ?? { prompt: 12, completion: 6 },
  }
}
