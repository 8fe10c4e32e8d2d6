import { expect, test } from 'vitest'
import { billingFaults } from './billing-faults.ts'
import type { CompleteContract } from './contract.ts'

/** Returns the body of a stream whose JSON is broken. */
function brokenBody(stream: string): string {
  const contract = {
    recordings: [{ name: 'a', whole: '{}', stream, says: { text: 'a', finish: 'stop', usage: null } }],
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
