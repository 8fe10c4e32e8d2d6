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
