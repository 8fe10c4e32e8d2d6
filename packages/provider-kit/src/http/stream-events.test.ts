import { expect, test } from 'vitest'
import { createSseReader, type StreamEvent } from './stream-events.ts'
import fc from 'fast-check'

const encoder = new TextEncoder()

function read(text: string, cuts: readonly number[] = []): StreamEvent[] {
  const bytes = encoder.encode(text)
  const reader = createSseReader()
  const places = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
  const events = places.slice(1).flatMap((place, i) => reader.push(bytes.subarray(places[i], place)))
  return [...events, ...reader.end()]
}

const message = (data: string, event = 'message'): StreamEvent => ({ event, data })

const PRETTY = '{\n  "error": {\n    "code": 503\n  }\n}'

test.each<[string, string, StreamEvent[]]>([
  ['one', 'data: a\n\n', [message('a')]],
  ['without a space', 'data:a\n\n', [message('a')]],
  ['several lines', 'data: a\ndata: b\n\n', [message('a\nb')]],
  ['a name', 'event: ping\ndata: {}\n\n', [message('{}', 'ping')]],
  ['a name without data', 'event: ping\n\ndata: a\n\n', [message('a')]],
  ['a comment', ': hi\n\ndata: a\n\n', [message('a')]],
  ['other fields', 'id: 1\nretry: 5\ndata: a\n\n', [message('a')]],
  ['carriage returns', 'data: a\r\n\r\ndata: b\r\r', [message('a'), message('b')]],
  ['a byte order mark', '\uFEFFdata: a\n\n', [message('a')]],
  ['no end', 'data: a', [message('a')]],
  ['empty data', 'data:\n\n', [message('')]],
  ['an error of llama.cpp', 'error: {"code":500}\n\n', [message('{"code":500}')]],
  ['an error of Gemini', 'data: a\r\n\r\n{\n  "error": {\n    "code": 503\n  }\n}\n', [message('a'), message(PRETTY)]],
  ['an error of Ollama', '{"error":"no"}\ndata: [DONE]\n\n', [message('{"error":"no"}'), message('[DONE]')]],
  ['a line that only begins as an object', '{a\n\ndata: b\n\n', [message('b')]],
  ['nothing', '', []],
])('%s', (_, text, events) => expect(read(text)).toEqual(events))

test('however it is cut', () => {
  const texts = fc.array(
    fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/gu, '')),
    { minLength: 1, maxLength: 5 },
  )
  const ending = fc.constantFrom('\n', '\r\n', '\r')
  fc.assert(
    fc.property(texts, ending, fc.array(fc.nat(200), { maxLength: 30 }), (parts, end, cuts) => {
      const text = parts.map((part) => `event: e${end}data: ${part}${end}${end}`).join('')
      expect(read(text, cuts)).toEqual(parts.map((part) => message(part, 'e')))
    }),
  )
})
