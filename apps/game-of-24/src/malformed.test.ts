import type { ModelAnswer, ModelParams } from '@x/interfaces'
import { BareModel, StandInClient } from './index.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METHOD_NAMES, methodOf, modelParts, search } from '@x/reasoning'

/** A model whose replies are given; each call takes the next one. */
class Babbling extends StandInClient {
  readonly #next: () => string | null

  constructor(next: () => string | null) {
    super()
    this.#next = next
  }

  override create({ model = '' }: ModelParams): ModelAnswer {
    const message = { role: 'assistant' as const, content: this.#next() }
    return { id: 'a', model, created: 0, choices: [{ index: 0, message, finish_reason: 'stop' }] }
  }

  override getUsage({ model }: ModelAnswer): ReturnType<StandInClient['getUsage']> {
    return { model, promptTokens: 1, completionTokens: 1, totalTokens: 2, cost: 0 }
  }
}

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
  it('ends with a result and grades in [0, 1], whatever the model says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 30 }), async (replies) => {
        let calls = 0
        const client = new Babbling(() => replies[calls++ % replies.length]?.join('\n') ?? null)
        const budget = { calls: 200 }
        const found = await search('Q', {
          ...modelParts({ model: new BareModel(client) }),
          method: methodOf({ method, maxDepth: 3, nsim: 3 }),
          budget,
        })
        expect(found.failures).toEqual([])
        expect(found.answer === null).toBe(found.status === 'exhausted' && found.reason !== null)
        for (const { grade, value } of found.trees.flatMap((root) => [...root.walk()])) {
          for (const worth of [grade ?? 0, value]) expect(worth >= 0 && worth <= 1).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })
})
