import { expect, it } from 'vitest'
import { looseSnippets, problemsOf } from './loose-snippets.ts'

it('finds nothing wrong in the code of documents that is copied from no file', () => {
  const snippets = looseSnippets()
  expect(snippets.length).toBeGreaterThan(20)
  expect(problemsOf(snippets)).toEqual([])
})

it('finds an option that there is not, and a name that no package has', () => {
  const snippets = [
    { place: 'a.md:1', code: 'const budget = createBudget({ dollars: 1 })' },
    { place: 'a.md:9', code: "import { makeAgent } from '@x/agent'\nmakeAgent(whatever)" },
    { place: 'b.md:1', code: 'const budget = createBudget({ cost: limit })' },
  ]
  expect(problemsOf(snippets)).toEqual([
    expect.stringContaining("a.md:1 Object literal may only specify known properties, and 'dollars'"),
    expect.stringContaining("a.md:9 Module '\"@x/agent\"' has no exported member 'makeAgent'"),
  ])
})
