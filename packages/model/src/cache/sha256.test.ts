import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256 } from './sha256.ts'

const ofNode = (text: string): string => hash('sha256', text, 'base64url')

test.each([0, 1, 54, 55, 56, 57, 63, 64, 65, 119, 120, 128, 10_000])('%i bytes, as Node hashes them', (length) => {
  expect(sha256('a'.repeat(length))).toBe(ofNode('a'.repeat(length)))
})

test('any text, as Node hashes it', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => sha256(text) === ofNode(text)))
})
