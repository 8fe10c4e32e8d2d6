import { expect, test } from 'vitest'
import { billingFaults } from './billing-faults.ts'
import type { CompleteContract } from './contract.ts'

/** Returns the body of a stream whose JSON is broken. */
function brokenBody(stream: string, frames?: readonly string[]): string {
  const contract = {
    recordings: [{ name: 'a', whole: '{}', stream, frames, says: { text: 'a', finish: 'stop', usage: null } }],
    failures: [],
  } as unknown as CompleteContract
  const { response } = billingFaults(contract, true).find(({ name }) => name === 'a body of broken JSON')!
  return new TextDecoder().decode(Buffer.concat(response.pieces ?? []))
}

test.each([
  ['events', 'data: {"text":"a"}\n\ndata: {"stop":1}\n\n', 'data: {"text":"a"\n\ndata: {"stop":1}\n\n'],
  ['lines of objects', '{"text":"a"}\n{"stop":1}\n', '{"text":"a"\n{"stop":1}\n'],
  ['lines of lists', '["text","a"]\n["stop"]\n', '["text","a"\n["stop"]\n'],
])('breaks the first frame of a stream of %s', (_, stream, broken) => {
  expect(brokenBody(stream)).toBe(broken)
})

test('breaks the first of frames in a form of their own', () => {
  expect(brokenBody('12:{"text":"a"},10:{"stop":1},', ['12:{"text":"a"},', '10:{"stop":1},'])).toBe(
    '12:{"text":"a",10:{"stop":1},',
  )
})
