import { describe, expect, it } from 'vitest'
import { cleanName, sizeText, typeOfBytes } from './attachment.ts'
import { checkFiles, contentOf } from './kept-files.ts'

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1')
const base64 = (text: string): string => Buffer.from(text).toString('base64')

it.each([
  ['\x89PNG\r\n\x1a\n rest', 'image/png'],
  ['\xff\xd8\xff\xe0 rest', 'image/jpeg'],
  ['GIF89a rest', 'image/gif'],
  ['RIFF\x01\x02\x03\x04WEBP rest', 'image/webp'],
  ['%PDF-1.7 rest', 'application/pdf'],
  ['a,b\r\n1,2\n', 'text/plain'],
  ['<svg onload="alert(1)"/>', 'text/plain'],
  ['<!doctype html><script>alert(1)</script>', 'text/plain'],
  ['RIFF\x01\x02\x03\x04WAVEfmt ', null],
  ['PK\x03\x04', null],
  ['GIF\x00', null],
  ['not \xff UTF-8', null],
  ['', null],
])('tells the kind of a file by its bytes: %j', (text, type) => {
  expect(typeOfBytes(bytes(text))).toBe(type)
})

it.each([
  ['photo.png', 'photo.png'],
  ['../../etc/passwd', 'passwd'],
  [String.raw`C:\temp\a.txt`, 'a.txt'],
  ['a\r\nset-cookie: b\u0000.txt', 'aset-cookie: b.txt'],
  ['exe\u202Egnp.txt', 'exegnp.txt'],
  ['half \ud800.txt', 'half \ufffd.txt'],
  ['\u200b', 'file'],
  ['x'.repeat(500), 'x'.repeat(120)],
])('makes one line of a name: %j', (name, clean) => {
  expect(cleanName(name)).toBe(clean)
})

it('says sizes in words', () => {
  expect([0, 999, 1000, 120_400, 999_499, 999_500, 5_000_000].map(sizeText)).toEqual([
    ...['0 B', '999 B', '1 kB', '120 kB', '999 kB', '1.0 MB', '5.0 MB'],
  ])
})

describe('the files of a message', () => {
  it('are parts that every model reads', () => {
    const png = bytes('\x89PNG\r\n\x1a\n').toString('base64')
    const files = checkFiles([
      { name: 'sky.svg', data: png },
      { name: 'bill.html', data: base64('%PDF-1') },
      { name: 'a.csv', data: base64('ä,b\n') },
    ])
    expect(files.map(({ name, type, size }) => [name, type, size])).toEqual([
      ['sky.svg', 'image/png', 8],
      ['bill.html', 'application/pdf', 6],
      ['a.csv', 'text/plain', 5],
    ])
    expect(contentOf('Look.', files)).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
      { type: 'file', file: { filename: 'bill.html', file_data: `data:application/pdf;base64,${base64('%PDF-1')}` } },
      { type: 'text', text: 'The file a.csv:\n\nä,b\n' },
    ])
    expect(contentOf('', files)).toHaveLength(3)
    expect(contentOf('Look.', [])).toBe('Look.')
  })

  it('are refused in clear words if they are too large together, empty, or of another kind', () => {
    const large = { name: 'large.txt', data: base64('x'.repeat(2_500_001)) }
    expect(() => checkFiles([large, large])).toThrow('the files are too large: those of a message have at most 5.0 MB')
    expect(() => checkFiles([{ name: 'no.txt', data: '' }])).toThrow('no.txt is empty')
    expect(() => checkFiles([{ name: 'a.zip', data: base64('PK\x03\x04') }])).toThrow(
      'a.zip cannot be read: images (PNG, JPEG, GIF, WebP), PDF and text can be attached',
    )
  })

  it('have nothing in their base64 that is not', () => {
    const [file] = checkFiles([{ name: 'a.txt', data: `${base64('Hi')}"><script>` }])
    expect(file!.data).toMatch(/^[\w+/]+={0,2}$/u)
  })
})
