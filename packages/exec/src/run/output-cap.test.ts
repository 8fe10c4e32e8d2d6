import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OutputCap } from './output-cap.ts'
import { plainText } from './plain-text.ts'

it('keeps all output that fits, however it is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.integer({ min: 1, max: 9 }), (text, size) => {
      const output = new OutputCap(4_000)
      let live = ''
      const watched = new OutputCap(4_000, (chunk) => (live += chunk.text))
      const bytes = Buffer.from(text)
      for (let from = 0; from < bytes.length; from += size) {
        output.add('stdout', bytes.subarray(from, from + size))
        watched.add('stdout', bytes.subarray(from, from + size))
      }
      expect(output.end()).toEqual({ stdout: bytes.toString(), stderr: '', truncatedBytes: 0 })
      expect(live).toBe(bytes.toString())
    }),
  )
})

it('keeps the head and the tail of longer output, within its limit', () => {
  fc.assert(
    fc.property(fc.integer({ min: 4, max: 400 }), fc.integer({ min: 1, max: 700 }), (cap, size) => {
      const output = new OutputCap(cap)
      const bytes = Buffer.from(Array.from({ length: 2_000 }, (_, index) => 97 + (index % 26)))
      for (let from = 0; from < bytes.length; from += size) output.add('stderr', bytes.subarray(from, from + size))
      const { stderr, truncatedBytes } = output.end()
      const half = Math.floor(cap / 4)
      expect(stderr.startsWith(bytes.subarray(0, half).toString())).toBe(true)
      expect(stderr.endsWith(bytes.subarray(2_000 - half).toString())).toBe(true)
      expect(truncatedBytes).toBe(2_000 - 2 * half)
    }),
  )
})

it('keeps no more of output that is no text, and says how much it leaves out', () => {
  const output = new OutputCap(4_000)
  for (let piece = 0; piece < 10; piece++) output.add('stdout', Buffer.alloc(1_000, 0xff))
  const { stdout, truncatedBytes } = output.end()
  const [head = '', tail = ''] = stdout.split(/\n\[… \d+ bytes left out …\]\n/u)
  expect([head, tail].map((part) => Buffer.byteLength(part) <= 1_000)).toEqual([true, true])
  expect(Buffer.byteLength(head + tail) + truncatedBytes).toBe(30_000)
})

it('tells much output that is no text in large pieces', () => {
  let pieces = 0
  const output = new OutputCap(40_000, () => pieces++)
  output.add('stdout', Buffer.alloc(400_000, 0xff))
  output.end()
  expect(pieces).toBeLessThan(20)
})

it('takes output that comes in single characters as it takes any other', () => {
  const output = new OutputCap(262_144)
  const began = performance.now()
  for (let at = 0; at < 300_000; at++) output.add('stdout', Buffer.from([97 + (at % 26)]))
  const { stdout, truncatedBytes } = output.end()
  const note = `\n[… ${truncatedBytes} bytes left out …]\n`
  expect([stdout.length - note.length, truncatedBytes]).toEqual([131_072, 300_000 - 131_072])
  // A list of single characters took a minute.
  expect(performance.now() - began).toBeLessThan(10_000)
})

it('keeps the order of output that ends within a character', () => {
  const output = new OutputCap(64)
  output.add('stdout', Buffer.from([...Buffer.from('h'.repeat(16) + 't'.repeat(9)), 0xc3]))
  expect(output.end()).toEqual({ stdout: `${'h'.repeat(16)}${'t'.repeat(9)}\uFFFD`, stderr: '', truncatedBytes: 0 })
})

it('returns false for a flood of output', () => {
  const output = new OutputCap(100)
  expect(output.add('stdout', Buffer.alloc(1_600))).toBe(true)
  expect(output.add('stderr', Buffer.alloc(1))).toBe(false)
})

it.each([
  ['\u001b[31mred\u001b[0m', 'red'],
  ['a\rb\r\nc', 'a\nb\r\nc'],
  ['a\0b\u0007\u0085c', 'abc'],
  ['a\u202eb', String.raw`a\u202eb`],
  ['tab\tline\n', 'tab\tline\n'],
])('%j is shown as %j', (text, shown) => {
  expect(plainText(text)).toBe(shown)
})
