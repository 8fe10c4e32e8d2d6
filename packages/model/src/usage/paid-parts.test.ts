import type { ModelAnswer, ModelClient, ModelEvent } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { answerOf, failureOf, hello, recordingIo } from '../fakes/provider.fake.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'
import { createBudget } from './budget.ts'

const text = 'a piece of forty characters, more or less '
const PIECES = 10

/** A model that streams pieces of text, ten if not told otherwise, or fails after some of them. */
function streaming(
  options: { readonly pieces?: number; readonly failsAfter?: number; readonly usage?: ModelAnswer['usage'] } = {},
) {
  const { pieces = PIECES, failsAfter = Infinity, usage } = options
  const answer = (): ModelAnswer => {
    const { usage: _, ...whole } = answerOf('m', text.repeat(pieces))
    return usage ? { ...whole, usage } : whole
  }
  const client: ModelClient = {
    create: answer,
    async *stream(): AsyncGenerator<ModelEvent, ModelAnswer> {
      yield { type: 'start', id: 'a', model: 'm' }
      for (let index = 0; index < pieces; index++) {
        if (index === failsAfter) throw failureOf('truncated')
        yield { type: 'textDelta', index: 0, text }
      }
      return answer()
    },
    messageRetrieval: ({ choices }) => choices.map(({ message }) => message),
    getUsage: ({ model, usage: counts }) => ({
      model,
      promptTokens: counts?.prompt_tokens ?? 0,
      completionTokens: counts?.completion_tokens ?? 0,
      totalTokens: counts?.total_tokens ?? 0,
      cost: 0,
    }),
    cost: () => null,
  }
  const { io, warnings } = recordingIo()
  const budget = createBudget({ cost: 100 })
  const model = new ModelWrapper({
    providers: [{ apiTypes: ['fake'], specVersion: 1, createClient: () => client }],
    configList: [{ model: 'm', apiType: 'fake', price: [1, 2], tags: ['t'] }],
    cacheSeed: null,
    io,
    budget,
  })
  return { model, budget, warnings }
}

/** Output tokens that an answer is expected to have before the first. */
const EXPECTED_TOKENS = 1024

describe.each([4, 400])(
  'a stream that ends after %i pieces is paid for as expected, or as it came if that is more',
  (after) => {
    const ends: Record<string, () => Promise<ReturnType<typeof streaming>>> = {
      'when the stream is left': async () => {
        const made = streaming({ pieces: 1000 })
        let pieces = 0
        for await (const event of made.model.createStream({ messages: hello })) {
          if (event.type === 'textDelta' && ++pieces === after) break
        }
        return made
      },
      'when the call is aborted': async () => {
        const made = streaming({ pieces: 1000 })
        const stop = new AbortController()
        const read = async (): Promise<void> => {
          let pieces = 0
          for await (const event of made.model.createStream({ messages: hello }, stop)) {
            if (event.type === 'textDelta' && ++pieces === after) stop.abort()
          }
        }
        await expect(read()).rejects.toMatchObject({ code: 'aborted' })
        return made
      },
      'when the stream breaks off': async () => {
        const made = streaming({ pieces: 1000, failsAfter: after })
        await expect(made.model.createStream({ messages: hello }).result).rejects.toMatchObject({ kind: 'truncated' })
        return made
      },
    }

    test.each(Object.entries(ends))('%s', async (_, end) => {
      const { budget, model } = await end()
      const [row, ...more] = model.ledger
      expect(more).toEqual([])
      expect(row).toMatchObject({ estimated: true, cached: false, tags: ['t'], usage: { model: 'm' } })
      const { promptTokens, completionTokens, totalTokens, cost } = row!.usage
      const least = Math.max(EXPECTED_TOKENS, (after * text.length) / 4)
      expect(completionTokens).toBeGreaterThanOrEqual(least)
      expect(completionTokens).toBeLessThanOrEqual(least + 50)
      expect(cost).toBeCloseTo((promptTokens + 2 * completionTokens) / 1000, 9)
      expect(budget.spent).toEqual({ cost, tokens: totalTokens, calls: 1 })
      expect(model.actualUsageSummary!.totalCost).toBe(cost)
    })
  },
)

describe('an answer without usage', () => {
  test.each(['create', 'createSync', 'createStream'] as const)(
    'is estimated by `%s`, with one warning',
    async (how) => {
      const { model, budget, warnings } = streaming()
      for (let i = 0; i < 2; i++) {
        if (how === 'createStream') await model.createStream({ messages: hello }).result
        else await model[how]({ messages: hello })
      }
      expect(warnings()).toEqual(['usage'])
      const [row] = model.ledger
      expect(row!.estimated).toBe(true)
      expect(row!.usage.completionTokens).toBeGreaterThanOrEqual((PIECES * text.length) / 4)
      expect(row!.usage.cost).toBeGreaterThan(0.2)
      expect(budget.spent).toEqual({
        cost: row!.usage.cost! * 2,
        tokens: row!.usage.totalTokens * 2,
        calls: 2,
      })
    },
  )

  test('has no estimate if the provider reports zero tokens', async () => {
    const { model, budget, warnings } = streaming({
      usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
    })
    await model.create({ messages: hello })
    expect([warnings(), model.ledger[0]!.estimated, budget.spent.tokens]).toEqual([[], undefined, 0])
  })
})
