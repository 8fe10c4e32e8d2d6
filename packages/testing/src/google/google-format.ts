import type { PlainReply, PlainUsage, WireFormat, WireFrame } from '../wire/wire-format.ts'
import { googleRefusal } from './google-refusal.ts'

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

/** Wire format of Google's generateContent API. */
export const googleFormat: WireFormat = {
  name: 'google',
  isStream: ({ path }) => path.includes(':streamGenerateContent'),
  refusal: googleRefusal,
  whole: (reply) => chunk(reply, parts(reply), finishReason(reply)),
  frames,
  errorBody: (code, message) => ({ error: { code, message, status: STATUS_NAMES[code] ?? 'UNKNOWN' } }),
  overloaded: {
    data: JSON.stringify({ error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } }),
  },
  unknown: { data: JSON.stringify({ weatherReport: { sky: 'clear' } }) },
}

type Part = Record<string, unknown>

function chunk(reply: PlainReply, content: Part[], finish?: string): object {
  const { id = 'resp_1', model = 'gemini-2.5-flash', usage } = reply
  return {
    candidates: [
      {
        content: { ...(content.length > 0 && { parts: content }), role: 'model' },
        ...(finish && { finishReason: finish }),
        index: 0,
      },
    ],
    usageMetadata: usageMetadata(usage),
    modelVersion: model,
    responseId: id,
  }
}

function parts({ reasoning, text, calls = [] }: PlainReply): Part[] {
  const signature = reasoning && { thoughtSignature: reasoning.signature }
  return [
    ...(reasoning ? [{ text: reasoning.text, thought: true }] : []),
    ...(text === undefined ? [] : [{ text, ...(calls.length === 0 && signature) }]),
    // Of several calls at once, only the first is signed.
    ...calls.map(({ id, name, args }, n) => ({
      functionCall: { ...(id !== undefined && { id }), name, ...(args && { args }) },
      ...(n === 0 && signature),
    })),
  ]
}

function finishReason({ finish }: PlainReply): string {
  return finish === 'length' ? 'MAX_TOKENS' : finish === 'content_filter' ? 'SAFETY' : 'STOP'
}

function usageMetadata(
  { prompt, completion, cached, reasoning = 0 }: PlainUsage = { prompt: 12, completion: 6 },
): object {
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: completion - reasoning,
    ...(reasoning > 0 && { thoughtsTokenCount: reasoning }),
    ...(cached !== undefined && { cachedContentTokenCount: cached }),
    totalTokenCount: prompt + completion,
  }
}

/** Streams texts in halves, and all calls of a turn in one frame; the signature of a text comes last, in its own frame. */
function frames(reply: PlainReply): WireFrame[] {
  const { text, calls = [] } = reply
  const all = parts(reply)
  const thoughts = all.filter(({ thought }) => thought === true)
  const signature = all.find((part) => 'text' in part && 'thoughtSignature' in part)?.['thoughtSignature']
  const functionCalls = all.filter((part) => 'functionCall' in part)
  const middle = Math.ceil((text ?? '').length / 2)
  const halves = [text?.slice(0, middle) ?? '', text?.slice(middle) ?? ''].filter((half) => half !== '')
  const last: Part[] =
    calls.length > 0 ? functionCalls : [{ text: '', ...(signature !== undefined && { thoughtSignature: signature }) }]
  return [
    ...thoughts.map((part) => chunk(reply, [part])),
    ...halves.map((half) => chunk(reply, [{ text: half }])),
    chunk(reply, last, finishReason(reply)),
  ].map((data) => ({ data: JSON.stringify(data) }))
}
