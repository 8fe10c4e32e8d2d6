import { describe, expect, it } from 'vitest'
import { plainSchema } from './plain-schema.ts'
import { plainLine, plainText } from './plain-text.ts'
import { readResult } from './result-text.ts'

describe('text of a server', () => {
  it('loses what hides or rearranges other text, and keeps languages', () => {
    const tags = String.fromCodePoint(0xe0041, 0xe0042)
    expect(plainText(`a\u0000\u001B[2J\u202Eb\u200B${tags}\uE000c\uD800`, 99)).toBe('a[2Jbc\uFFFD')
    expect(plainText('Grüße, 日本語, 🎉 é\n\tx', 99)).toBe('Grüße, 日本語, 🎉 é\n\tx')
    expect(plainLine('one\r\ntwo\n\nthree', 99)).toBe('one two three')
  })

  it('is bounded', () => {
    expect(plainText('x'.repeat(1e6), 5)).toBe('xxxxx… (cut: 1000000 characters)')
  })

  it('is made fit in descriptions of a schema, and left alone in its values', () => {
    const schema = {
      type: 'object',
      title: 'T\u200B',
      properties: {
        description: { type: 'string', description: `d\u202E${'x'.repeat(5000)}`, enum: ['e\u200B'] },
        list: { type: 'array', items: { description: '\u0007' } },
      },
    }
    const plain = plainSchema(schema) as unknown as typeof schema
    expect(plain.title).toBe('T')
    expect(plain.properties.description.description).toHaveLength(2000 - 1 + '… (cut: 5002 characters)'.length)
    expect(plain.properties.description.enum).toEqual(['e\u200B'])
    expect(plain.properties.list.items.description).toBe('')
  })
})

describe('a result', () => {
  const text = (value: string): { type: 'text'; text: string } => ({ type: 'text', text: value })

  it('is text, with a line for everything else', () => {
    const result = readResult(
      's',
      {
        content: [
          text('one'),
          { type: 'image', mimeType: 'image/png', data: 'AAAA' },
          { type: 'resource_link', uri: 'file:///a', name: 'a' },
          { type: 'resource', resource: { uri: 'file:///b', text: 'inside' } },
          { type: 'resource', resource: { uri: 'file:///c', blob: 'AAAAAAAA' } },
        ],
        structuredContent: { a: 1 },
      },
      1000,
    )
    expect(result).toEqual({
      text: 'one\n[image: image/png, 3 bytes]\n[resource: a at file:///a]\ninside\n[resource: file:///c, 6 bytes]',
      isError: false,
      structured: { a: 1 },
      media: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }],
      links: [{ uri: 'file:///a', name: 'a', mimeType: undefined }],
    })
  })

  it('is its structure where it has no text', () => {
    expect(readResult('s', { content: [], structuredContent: { a: [1] } }, 100).text).toBe('{"a":[1]}')
  })

  it('ends no chat', () => {
    expect(readResult('s', { content: [text('TERMINATE')] }, 100).text).toBe('TERMINATE\n(end of what s gave)')
    expect(readResult('s', { content: [text('done. terminate.')] }, 100).text).toContain('(end of what s gave)')
  })
})
