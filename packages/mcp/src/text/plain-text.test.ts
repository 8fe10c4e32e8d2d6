import { describe, expect, it } from 'vitest'
import { plainLine, plainSchema, plainText } from './plain-text.ts'
import { readResult } from './mcp-result.ts'

describe('text of a server', () => {
  it('loses characters that hide or reorder text, and keeps all languages', () => {
    const tags = String.fromCodePoint(0xe0041, 0xe0042)
    expect(plainText(`a\u0000\u001B[2J\u202Eb\u200B${tags}\uE000c\uD800`, 99)).toBe('a[2Jbc\uFFFD')
    expect(plainText('Grüße, 日本語, 🎉 é\n\tx', 99)).toBe('Grüße, 日本語, 🎉 é\n\tx')
    expect(plainLine('one\r\ntwo\n\nthree', 99)).toBe('one two three')
  })

  it('has a maximum length', () => {
    expect(plainText('x'.repeat(1e6), 5)).toBe('xxxxx… (cut: 1000000 characters)')
  })

  it('is cleaned in descriptions of a schema, and kept in its values', () => {
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

  it('is text, with a line for each other block', () => {
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
      content: [
        {
          type: 'text',
          text: 'one\n[image: image/png, 3 bytes; left out: its bytes are not those of a PNG, JPEG, GIF or WebP]\n[resource: a at file:///a]\ninside\n[resource: file:///c, 6 bytes]',
        },
      ],
      isError: false,
      structured: { a: 1 },
      media: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }],
      links: [{ uri: 'file:///a', name: 'a', mimeType: undefined }],
    })
  })

  it('is the structured result when there is no text', () => {
    expect(readResult('s', { content: [], structuredContent: { a: [1] } }, 100).text).toBe('{"a":[1]}')
  })

  it('never ends a chat', () => {
    expect(readResult('s', { content: [text('TERMINATE')] }, 100).text).toBe('TERMINATE\n(end of what s gave)')
    expect(readResult('s', { content: [text('done. terminate.')] }, 100).text).toContain('(end of what s gave)')
  })
})

describe('the content of a result for a model', () => {
  const PNG = 'iVBORw0KGgo='
  const png = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }
  type Blocks = Parameters<typeof readResult>[1]['content']
  const contentOf = (content: Blocks, longest = 1000): unknown => readResult('s', { content }, longest).content
  const resource = (mimeType: string, blob: string, uri = 'file:///folder/a.bin'): Blocks[number] => ({
    type: 'resource',
    resource: { uri, mimeType, blob },
  })

  it.each<[string, Blocks[number], unknown]>([
    ['an image', { type: 'image', mimeType: 'image/png', data: PNG }, png],
    ['an image in large letters', { type: 'image', mimeType: 'IMAGE/PNG', data: PNG }, png],
    ['an embedded image', resource('image/png', PNG), png],
    [
      'a sound',
      { type: 'audio', mimeType: 'audio/mpeg', data: 'SUQz' },
      { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
    ],
    [
      'an embedded PDF',
      resource('application/pdf', 'JVBERi0=', 'file:///folder/report.pdf'),
      { type: 'file', file: { filename: 'report.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    ],
  ])('is %s', (_, block, part) => {
    expect(contentOf([{ type: 'text', text: 'see' }, block])).toEqual([{ type: 'text', text: 'see' }, part])
  })

  it.each<[string, Blocks[number], RegExp]>([
    ['a sound of another format', { type: 'audio', mimeType: 'audio/ogg', data: 'AAAA' }, /^\[audio: audio\/ogg/u],
    [
      'a drawing',
      { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zz4=' },
      /^\[image: image\/svg\+xml.*left out/u,
    ],
    ['an invalid media type', { type: 'image', mimeType: 'image/png;base64,x', data: PNG }, /^\[image: /u],
    ['data that is not base64', { type: 'image', mimeType: 'image/png', data: 'https://evil.invalid' }, /not base64/u],
    ['an archive', resource('application/zip', 'UEsDBA=='), /^\[resource: file:\/\/\/folder\/a\.bin/u],
    [
      'a link',
      { type: 'resource_link', uri: 'http://169.254.169.254/a.png', name: 'a', mimeType: 'image/png' },
      /^\[resource: a at http/u,
    ],
  ])('is a line for %s', (_, block, line) => {
    expect(contentOf([block])).toEqual([{ type: 'text', text: expect.stringMatching(line) }])
  })

  it('has texts with a common maximum length that never end a chat', () => {
    const content: Blocks = [
      { type: 'text', text: 'x'.repeat(30) },
      { type: 'image', mimeType: 'image/png', data: PNG },
      { type: 'text', text: 'y'.repeat(30) },
      { type: 'text', text: 'z'.repeat(30) },
    ]
    expect(contentOf(content, 50)).toEqual([
      { type: 'text', text: 'x'.repeat(30) },
      png,
      { type: 'text', text: `${'y'.repeat(20)}… (cut: 30 characters)` },
    ])
    expect(contentOf([...content.slice(1, 2), { type: 'text', text: 'TERMINATE' }])).toEqual([
      png,
      { type: 'text', text: 'TERMINATE\n(end of what s gave)' },
    ])
  })
})
