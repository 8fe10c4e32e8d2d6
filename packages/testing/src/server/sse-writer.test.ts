import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitBytes, sseFrame } from './sse-writer.ts'

describe('a server-sent event', () => {
  it.each([
    [{ a: 1 }, {}, 'data: {"a":1}\n\n'],
    ['[DONE]', {}, 'data: [DONE]\n\n'],
    ['one\ntwo', {}, 'data: one\ndata: two\n\n'],
    [{ a: 1 }, { event: 'ping', eol: '\r\n' as const }, 'event: ping\r\ndata: {"a":1}\r\n\r\n'],
  ])('of %j is written by the standard', (data, options, text) => {
    expect(sseFrame(data, options)).toBe(text)
  })
})

describe('splitting', () => {
  it('loses no byte, wherever it cuts', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.oneof(fc.integer({ min: 1, max: 9 }), fc.array(fc.nat(60))),
        (texts, splits) => {
          const parts = splitBytes(texts, splits)
          expect(Buffer.concat(parts).toString()).toBe(texts.join(''))
          if (typeof splits === 'number') expect(parts.every(({ length }) => length <= splits && length > 0)).toBe(true)
        },
      ),
    )
  })

  it('cuts characters', () => {
    expect(splitBytes(['ä'], [1]).map((part) => [...part])).toEqual([[0xc3], [0xa4]])
  })
})
