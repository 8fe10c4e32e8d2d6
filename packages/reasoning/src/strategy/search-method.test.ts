import { describe, expect, it } from 'vitest'
import { search, searchMethod, searchSync, type Method, type SearchParts, type ThinkNode, type Wave } from '../index.ts'
import type { SearchContext } from './search-context.ts'

/** Parts that grade a step by its last digit and answer with the steps. */
const parts: SearchParts = {
  proposer: {
    propose: ({ node }) => ({
      text: '',
      reflection: '',
      options: [3, 7].map((digit) => ({ content: `${node.depth}-${digit}` })),
    }),
  },
  grader: {
    grade: ({ nodes }) => ({
      grades: nodes.map(({ content }) => ({ value: Number(content.at(-1)) / 10, details: 'd' })),
    }),
  },
  answerer: { answer: ({ from }) => ({ text: `answer from ${from[0]!.content}` }) },
}

type Explore = (search: SearchContext) => Wave<ThinkNode | null | void>

/** Makes a method of what the types would refuse. */
const unchecked = (explore: (search: SearchContext) => unknown): Method => searchMethod(explore as Explore)

describe('searchMethod', () => {
  const toStep: Explore = function* (context) {
    const [[first] = []] = yield* context.expand([context.root])
    return first
  }

  it('writes an answer from a returned step, since a step is never the answer', async () => {
    const result = await search('Q', { ...parts, method: searchMethod(toStep) })
    expect(result).toMatchObject({ answer: 'answer from 0-3', status: 'accepted', used: { calls: 2 } })
    const verified = searchSync('Q', { ...parts, method: searchMethod(toStep), verifier: () => false })
    expect(verified).toMatchObject({ answer: 'answer from 0-3', status: 'exhausted' })
  })

  it('writes the answer from the last step that the method added itself, also within a budget', () => {
    const remarks = searchMethod(function* (context) {
      context.tree.add(context.tree.add(context.root, 'a remark'), 'another')
      yield* context.expand([])
    })
    expect(searchSync('Q', { ...parts, method: remarks })).toMatchObject({ answer: 'answer from another' })
    const method = searchMethod(function* (context) {
      const [[first] = []] = yield* context.expand([context.root])
      context.tree.add(first!, 'a remark')
      yield* context.expand([context.root])
    })
    expect(searchSync('Q', { ...parts, method, budget: { calls: 2 } })).toMatchObject({
      answer: 'answer from a remark',
    })
    const closed = searchMethod(function* (context) {
      context.tree.mark('answer', context.tree.add(context.root, 'no answer of an answerer'))
      yield* context.expand([])
    })
    expect(searchSync('Q', { ...parts, method: closed })).toMatchObject({ answer: 'answer from Q' })
  })

  it('keeps the best answer so far if the one from a returned step fails', () => {
    const answerer = {
      answer: ({ from }: { readonly from: readonly ThinkNode[] }): { text: string } => ({
        text: from[0]!.parent ? '' : 'from the question',
      }),
    }
    const none = searchSync('Q', { ...parts, answerer, method: searchMethod(toStep) })
    expect(none).toMatchObject({ answer: null, status: 'exhausted', reason: expect.stringContaining('empty') })
    const method = searchMethod(function* (context) {
      yield* context.answer([context.root])
      return yield* toStep(context)
    })
    expect(searchSync('Q', { ...parts, answerer, method })).toMatchObject({ answer: 'from the question' })
    const short = searchSync('Q', { ...parts, method, budget: { calls: 2 } })
    expect(short).toMatchObject({ answer: 'answer from Q', status: 'budget' })
  })

  it('writes the answer from a preferred step where a budget ends it, unless an answer is preferred since', () => {
    const toEnd = (prefersAnswer: boolean): Method =>
      searchMethod(function* (context) {
        const [leaf] = yield* context.answer([context.root])
        const [[first] = []] = yield* context.expand([context.root])
        context.prefer(first!)
        if (prefersAnswer) context.prefer(leaf!)
        for (;;) yield* context.expand([first!])
      })
    const budget = { calls: 3 }
    const step = searchSync('Q', { ...parts, method: toEnd(false), budget })
    expect(step).toMatchObject({ answer: 'answer from 0-3', status: 'budget', used: { calls: 3 } })
    const leaf = searchSync('Q', { ...parts, method: toEnd(true), budget })
    expect(leaf).toMatchObject({ answer: 'answer from Q', status: 'budget' })
    // An answer that a verifier has accepted stands before any step.
    const verified = searchSync('Q', { ...parts, method: toEnd(false), budget, verifier: () => true })
    expect(verified).toMatchObject({ answer: 'answer from Q', status: 'verified' })
  })

  it('ends a method that asks no job again and again', () => {
    const method = searchMethod(function* (context) {
      for (;;) yield* context.expand([])
    })
    expect(() => searchSync('Q', { ...parts, method })).toThrow('asked no job 10000 times in a row')
  })

  it.each<[string, (context: SearchContext) => unknown, RegExp]>([
    [
      'a `yield` without a star',
      function* (context) {
        yield context.expand([context.root])
      },
      /`yield\*`, with the star/,
    ],
    ['a function that is no generator function', () => null, /function\*/],
    ['an asynchronous function', async () => await Promise.resolve(null), /function\*/],
    [
      'an asynchronous generator function',
      async function* () {
        yield await Promise.resolve([])
      },
      /function\*/,
    ],
    [
      'a node for a list',
      function* (context) {
        yield* context.expand(context.root as never)
      },
      /`expand`.* a node: give a list of nodes/,
    ],
    [
      'a list with a hole',
      function* (context) {
        yield* context.grade([context.root, undefined as never])
      },
      /`grade`.* entry 1 is not a node/,
    ],
    [
      'an answer that failed, asked for more',
      function* (context) {
        yield* context.answer([null as never])
      },
      /`answer`.* entry 0/,
    ],
    [
      'a text that is returned',
      function* (context) {
        yield* context.expand([context.root])
        return 'the answer'
      },
      /return the leaf that `answer` returned/,
    ],
    [
      'a returned list',
      function* (context) {
        return yield* context.answer([context.root])
      },
      /return the leaf that `answer` returned/,
    ],
  ])('refuses %s', async (_, explore, message) => {
    const method = unchecked(explore)
    expect(() => searchSync('Q', { ...parts, method })).toThrow(message)
    await expect(search('Q', { ...parts, method })).rejects.toMatchObject({ code: 'invalid-argument' })
  })

  it('throws errors of the function unchanged', () => {
    const method = unchecked(() => {
      throw new RangeError('a mistake of the method')
    })
    expect(() => searchSync('Q', { ...parts, method })).toThrow(RangeError)
  })
})

it.each<[string, unknown, RegExp]>([
  ['nothing', undefined, /without `ask`/],
  ['half a strategy', { trees: [], ask: () => [], tell: () => {} }, /without `best`/],
  ['a strategy without trees', { ask: () => [], tell: () => {}, best: () => null }, /without `trees`/],
])('a method that makes %s is refused', (_, strategy, message) => {
  expect(() => searchSync('Q', { ...parts, method: (() => strategy) as unknown as Method })).toThrow(message)
})
