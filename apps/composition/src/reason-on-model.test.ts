import type { Provider } from '@x/interfaces'
import { createBudget, createMemoryCache, llmConfig } from '@x/model'
import { beam, forest, modelParts, search, searchSync, type SearchResult } from '@x/reasoning'
import { questionOf, StandInClient } from '@x/game-of-24'
import { describe, expect, it } from 'vitest'

const question = questionOf('4 5 6 10')
const method = forest(beam({ maxDepth: 3, beamSize: 2 }), { size: 3 })

function world(): { provider: Provider; calls: () => number } {
  let calls = 0
  class Counting extends StandInClient {
    override create(...args: Parameters<StandInClient['create']>): ReturnType<StandInClient['create']> {
      calls += 1
      return super.create(...args)
    }
  }
  return { provider: { apiTypes: ['g24'], specVersion: 1, createClient: () => new Counting() }, calls: () => calls }
}

const trees = (result: SearchResult): string[] => result.trees.map((tree) => JSON.stringify(tree))

describe('a search on the model wrapper', () => {
  it('grows trees that differ, although the cache knows their questions; a second run costs nothing', async () => {
    const { provider, calls } = world()
    const cache = createMemoryCache()
    const model = llmConfig({
      providers: [provider],
      configList: [{ model: 'm', apiType: 'g24' }],
      cache,
    }).createModel()
    const first = await search(question, { ...modelParts({ model }), method })
    expect(new Set(trees(first)).size).toBe(3)
    const once = calls()
    const second = await search(question, { ...modelParts({ model }), method })
    expect(calls()).toBe(once)
    expect(trees(second)).toEqual(trees(first))
    expect(second.answer).toBe(first.answer)
  })

  it('is the same in the blocking face', async () => {
    const { provider } = world()
    const config = llmConfig({ providers: [provider], configList: [{ model: 'm', apiType: 'g24' }], cacheSeed: null })
    const first = await search(question, { ...modelParts({ model: config.createModel() }), method })
    const second = searchSync(question, { ...modelParts({ model: config.createModel() }), method })
    expect(trees(second)).toEqual(trees(first))
  })

  it('ends with an answer or a reason when the budget of the model is used up', async () => {
    const { provider } = world()
    const budget = createBudget({ calls: 12 })
    const config = llmConfig({
      providers: [provider],
      configList: [{ model: 'm', apiType: 'g24' }],
      cacheSeed: null,
      budget,
    })
    const { status, answer, reason, node, used } = await search(question, {
      ...modelParts({ model: config.createModel() }),
      method,
    })
    expect({ status, answer }).toEqual({ status: 'budget', answer: null })
    expect(reason).toContain('budget')
    expect(node!.depth).toBeGreaterThan(0)
    expect(used.calls).toBeGreaterThanOrEqual(12)
  })
})
