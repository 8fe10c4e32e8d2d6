import { functionModel } from '@x/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METHOD_NAMES, methodOf, modelParts, search } from '../index.ts'

const LINES = [
  'Option 1: a',
  '2. b',
  'TERMINATE',
  'Rating: 11',
  '-4/10',
  '{"rating": 1e999}',
  '{"options": []}',
  '',
  '```',
]
const reply = fc.option(
  fc.array(fc.oneof(fc.constantFrom(...LINES), fc.string({ unit: 'binary', maxLength: 8 })), { maxLength: 6 }),
)

describe.each(METHOD_NAMES)('%s', (method) => {
  it('ends with a result and grades in [0, 1], whatever the model replies', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 30 }), async (replies) => {
        let calls = 0
        const reply = (): { content: string | null } => ({
          content: replies[calls++ % replies.length]?.join('\n') ?? null,
        })
        const budget = { calls: 200 }
        const result = await search('Q', {
          ...modelParts({ model: functionModel(reply).createModel() }),
          method: methodOf({ method, maxDepth: 3, nsim: 3 }),
          budget,
        })
        // No call failed; what could not be read is said.
        for (const { code } of result.failures) expect(['invalid-result', 'no-response']).toContain(code)
        expect(result.answer?.trim()).not.toBe('')
        expect(result.answer === null).toBe(result.reason !== null)
        if (result.answer === null) expect(['exhausted', 'budget']).toContain(result.status)
        for (const { grade, value } of result.trees.flatMap((root) => [...root.walk()])) {
          for (const worth of [grade ?? 0, value]) expect(worth >= 0 && worth <= 1).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })
})
