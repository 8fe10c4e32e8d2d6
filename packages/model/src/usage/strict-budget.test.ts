import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AnswerUsage, ModelClient } from '@x/interfaces'
import { gated } from '../fakes/gated-model.fake.ts'
import { createMemoryCache } from '../cache/memory-cache.ts'
import { answerOf, hello, recordingIo } from '../fakes/provider.fake.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'
import { createBudget } from './budget.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** The most tokens that the request of these tests can have, with its JSON. */
const PROMPT = 60

const USAGE: AnswerUsage = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }

describe('a strict budget', () => {
  test('reserves the maximum output of the model', async () => {
    const budget = createBudget({ tokens: 10_000, strict: true })
    const { ask, open, calls } = gated(budget, {}, { limits: { maxOutput: 4000 } })
    const all = [ask(), ask(), ask()]
    await turn()
    expect(calls).toHaveLength(2)
    expect(calls[0]).not.toHaveProperty('max_tokens')
    expect(budget.spent.tokens).toBeGreaterThan(8000)
    open[0]!(100)
    await turn()
    expect(calls).toHaveLength(3)
    for (const answer of open) answer(4000)
    await Promise.all(all)
  })

  test('reserves `max_tokens` where the request has it', async () => {
    const budget = createBudget({ tokens: 10_000, strict: true })
    const { ask, open, calls } = gated(budget, {}, { limits: { maxOutput: 9000 } })
    const all = Array.from({ length: 5 }, () => ask({ max_tokens: 1000 }))
    await turn()
    expect(calls.map((params) => params['max_tokens'])).toEqual([1000, 1000, 1000, 1000, 1000])
    for (const answer of open) answer(1000)
    await Promise.all(all)
  })

  test.each([
    ['a model of unknown length', {}],
    ['a model that may answer more', { maxOutput: 64_000 }],
  ])('sets `max_tokens` of %s to what is left, with one warning', async (_, limits) => {
    const budget = createBudget({ tokens: 10_000, strict: true })
    const { ask, open, calls, warnings } = gated(budget, {}, { limits })
    for (const used of [3000, 3000]) {
      const asked = ask()
      await turn()
      open.at(-1)!(used)
      await asked
    }
    const [first, second] = calls.map(({ max_tokens: most }) => most!)
    expect(first).toBeGreaterThan(10_000 - PROMPT)
    expect(second).toBeGreaterThan(10_000 - 3010 - PROMPT)
    expect(warnings()).toEqual(['max_tokens'])
  })

  test('lowers the limit that the request has, under its own name and per choice', async () => {
    const budget = createBudget({ tokens: 4000, strict: true, minTokens: 10 })
    const { ask, open, calls } = gated(budget)
    const asked = ask({ max_completion_tokens: 5000, n: 2 })
    await turn()
    expect(calls[0]).not.toHaveProperty('max_tokens')
    expect(calls[0]!.max_completion_tokens).toBeLessThanOrEqual(2000)
    open[0]!(1)
    await asked
  })

  test.each([
    [{ max_tokens: 1000, reasoning_effort: 'high' as const }, 1000, 0],
    [{ max_tokens: 1000, providerOptions: { anthropic: { thinking: { type: 'adaptive' } } } }, 1000, 0],
    [{ max_completion_tokens: 1000, reasoning_effort: 'high' as const }, 1000, 0],
    [{ max_tokens: 9000, reasoning_effort: 'high' as const }, 5000 - PROMPT, 1],
  ])('limits reasoning with the answer: %j', async (request, most, warned) => {
    const { ask, open, calls, warnings } = gated(createBudget({ tokens: 5000, strict: true }))
    const asked = ask(request)
    await turn()
    expect(calls[0]).not.toHaveProperty('max_tokens')
    expect(calls[0]!.max_completion_tokens).toBeLessThanOrEqual(warned === 1 ? 5000 : most)
    expect(calls[0]!.max_completion_tokens).toBeGreaterThanOrEqual(most)
    open[0]!(1)
    await asked
    expect(warnings()).toHaveLength(warned)
  })

  test('counts the schema of the answer as input', async () => {
    const { ask, open, calls } = gated(createBudget({ tokens: 5000, strict: true }))
    const asked = ask({ response_format: { type: 'object', description: 'x'.repeat(3000) } })
    await turn()
    expect(calls[0]!.max_tokens).toBeLessThanOrEqual(2000)
    open[0]!(1)
    await asked
  })

  test('leaves no larger limit to one provider or to the body', async () => {
    const { ask, open, calls } = gated(createBudget({ tokens: 5000, strict: true }))
    const asked = ask({
      max_tokens: 1000,
      providerOptions: { openai: { max_completion_tokens: 9000, store: false } },
      extra_body: { max_tokens: 9000, more: 1 },
    })
    await turn()
    expect(calls[0]).toMatchObject({ max_tokens: 1000, extra_body: { more: 1 } })
    expect(calls[0]!.providerOptions).toEqual({ openai: { store: false } })
    expect(calls[0]!.extra_body).toEqual({ more: 1 })
    open[0]!(1)
    await asked
  })

  test.each<[object, AnswerUsage]>([
    [{ service_tier: 'priority' }, { ...USAGE, service_tier: 'priority' }],
    [{ providerOptions: { anthropic: { speed: 'fast' } } }, { ...USAGE, service_tier: 'fast' }],
    [{ modalities: ['text', 'audio'] }, { ...USAGE, audio_completion_tokens: 1 }],
    [{}, { ...USAGE, image_completion_tokens: 1 }],
  ])('in dollars counts on the dearest answer to %j', async (request, dearest) => {
    const isDear = (usage: AnswerUsage): boolean =>
      usage.service_tier === dearest.service_tier &&
      (!dearest.audio_completion_tokens || Boolean(usage.audio_completion_tokens)) &&
      (!dearest.image_completion_tokens || Boolean(usage.image_completion_tokens))
    const priceOf = (usage: AnswerUsage): number => (usage.total_tokens / 1000) * (isDear(usage) ? 4 : 1)
    const { ask, open, calls } = gated(createBudget({ cost: 8, strict: true }), {}, { priceOf })
    const asked = ask(request)
    await turn()
    expect(calls[0]!.max_tokens).toBeLessThanOrEqual(2000)
    expect(calls[0]!.max_tokens).toBeGreaterThan(2000 - 2 * PROMPT)
    open[0]!(1)
    await asked
  })

  test('refuses a call for which less than `minTokens` is left', async () => {
    for (const [limit, more, fits] of [
      [{ tokens: 1000 }, {}, false],
      [{ tokens: 1000, minTokens: 500 }, {}, true],
      [{ tokens: 1000 }, { max_tokens: 100 }, true],
      [{ tokens: 120 }, { max_tokens: 100 }, false],
    ] as const) {
      const { ask, open, calls } = gated(createBudget({ ...limit, strict: true }))
      const asked = ask(more)
      await turn()
      expect([limit, calls.length]).toEqual([limit, fits ? 1 : 0])
      open[0]?.(1)
      if (fits) await asked
      else await expect(asked).rejects.toMatchObject({ code: 'budget-exceeded' })
    }
  })

  test('in dollars limits the answer by its price, and needs one', async () => {
    const { ask, open, calls } = gated(createBudget({ cost: 2, strict: true }))
    const asked = ask()
    await turn()
    expect(calls[0]!.max_tokens).toBeGreaterThan(2000 - PROMPT)
    expect(calls[0]!.max_tokens).toBeLessThanOrEqual(2000)
    open[0]!(1)
    await asked
    const unpriced = gated(createBudget({ cost: 2, strict: true }), {}, { price: null })
    for (const limits of [{ max_tokens: 1 }, {}]) {
      await expect(unpriced.ask(limits)).rejects.toThrow(/its price is not known: set `price`/u)
    }
  })

  test('in dollars limits no answer that costs nothing or nearly nothing', async () => {
    const price = { input: 1, output: 0 } as const
    const { ask, open, calls } = gated(createBudget({ cost: 1, strict: true }), { price })
    const asked = ask()
    await turn()
    expect(calls[0]).not.toHaveProperty('max_tokens')
    open[0]!(1)
    await asked
    const nearly = gated(createBudget({ cost: 1e12, strict: true }), { price: { input: 0, output: 1e-9 } })
    void nearly.ask()
    await turn()
    expect(nearly.calls[0]!.max_tokens).toBeGreaterThan(1e12)
    nearly.open[0]!(1)
    const { ask: tooMuch } = gated(createBudget({ cost: 1e-9, strict: true }), { price })
    await expect(tooMuch()).rejects.toMatchObject({ code: 'budget-exceeded' })
  })

  test.each([
    ['length', false],
    ['stop', true],
  ])('keeps an answer that ends with `%s` under a limit it has set: %s', async (reason, kept) => {
    const answer = answerOf('m', 'x')
    const client: ModelClient = {
      create: () => ({ ...answer, choices: [{ ...answer.choices[0]!, finish_reason: reason }] }),
      messageRetrieval: () => [],
      getUsage: ({ model }) => ({ model, promptTokens: 1, completionTokens: 1, totalTokens: 2, cost: 0 }),
      cost: () => 0,
    }
    const model = new ModelWrapper({
      providers: [{ apiTypes: ['fake'], specVersion: 1, createClient: () => client }],
      configList: [{ model: 'm', apiType: 'fake' }],
      cache: createMemoryCache(),
      io: recordingIo().io,
      budget: createBudget({ tokens: 10_000, strict: true }),
    })
    await model.create({ messages: hello })
    expect((await model.create({ messages: hello })).cached).toBe(kept)
  })

  test('counts what was reserved where the provider does not tell what was used', async () => {
    const budget = createBudget({ tokens: 10_000, strict: true })
    const { model, calls } = gated(budget, {}, { limits: { maxOutput: 4000 } })
    const stop = new AbortController()
    const asked = model.create({ messages: [{ role: 'user', content: 'hello' }] }, stop)
    await turn()
    expect(calls).toHaveLength(1)
    stop.abort()
    await expect(asked).rejects.toThrow()
    expect(budget.spent.tokens).toBeGreaterThanOrEqual(4000)
  })

  test('is never exceeded, whatever calls run at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ most: fc.option(fc.integer({ min: 1, max: 3000 })), share: fc.nat({ max: 100 }) }), {
          maxLength: 20,
        }),
        fc.nat({ max: 20_000 }),
        fc.option(fc.integer({ min: 1, max: 5000 })),
        async (requests, limit, maxOutput) => {
          const budget = createBudget({ tokens: limit, strict: true })
          const { ask, open, calls } = gated(budget, {}, { limits: maxOutput === null ? {} : { maxOutput } })
          const all = requests.map(({ most }) => ask(most === null ? {} : { max_tokens: most }))
          for (let index = 0; index < requests.length; index++) {
            await turn()
            if (!open[index]) break
            const most = calls[index]!.max_tokens ?? maxOutput ?? Infinity
            expect(most).toBeLessThan(Infinity)
            open[index]!(Math.floor((most * requests[index]!.share) / 100))
          }
          await Promise.allSettled(all)
          expect(budget.spent.tokens).toBeLessThanOrEqual(limit)
        },
      ),
      { numRuns: 50 },
    )
  })
})

test.each([
  [{}, /no limit; give `cost`/u],
  [{ calls: 1.5 }, /`calls` is 1.5; give a whole number/u],
  [{ tokens: 0.5 }, /`tokens` is 0.5; give a whole number/u],
  [{ cost: 1, perCall: { cost: Number.POSITIVE_INFINITY } }, /`cost` is Infinity; give a finite number/u],
  [{ calls: 1, perCall: { calls: 0 } }, /`calls` is 0; give a whole number of at least 1/u],
  [{ cost: 1, spent: { cost: Number.POSITIVE_INFINITY } }, /`cost` is Infinity; give a finite number/u],
  [{ cost: 1, whenFull: 'queue' }, /`whenFull` is 'queue'; give 'wait' or 'refuse'/u],
  [{ cost: 1, strict: true, minTokens: 0 }, /`minTokens` is 0/u],
  [{ cost: 1, strict: true, perCall: { cost: 1 } }, /`perCall` is an estimate/u],
])('a budget that makes no sense is refused: %j', (options, message) => {
  expect(() => createBudget(options as never)).toThrow(message)
})

test('a strict budget of calls alone limits no answer, and lets calls be in flight at once', async () => {
  const { ask, open, calls } = gated(createBudget({ calls: 2, strict: true }))
  const all = [ask(), ask()]
  await turn()
  expect(calls.map(({ max_tokens }) => max_tokens)).toEqual([undefined, undefined])
  for (const answer of open) answer(1)
  await Promise.all(all)
  await expect(ask()).rejects.toMatchObject({ code: 'budget-exceeded' })
})
