import { expect, it } from 'vitest'
import { looseSnippets, problemsOf, type LooseSnippet } from './loose-snippets.ts'

/** An option that there is not, a name that no package has, and a name that is left out. */
const FAULTY: readonly LooseSnippet[] = [
  { place: 'a.md:1', code: 'const budget = createBudget({ dollars: 1 })' },
  { place: 'a.md:9', code: "import { makeAgent } from '@x/agent'\nmakeAgent(whatever)" },
  { place: 'b.md:1', code: 'const budget = createBudget({ cost: limit })' },
]

// All at once, since the compiler reads every package each time.
it('finds nothing wrong in the code of documents that is copied from no file, but an option that there is not, and a name that no package has', () => {
  const snippets = looseSnippets()
  expect(snippets.length).toBeGreaterThan(20)
  expect(problemsOf([...snippets, ...FAULTY])).toEqual([
    expect.stringContaining("a.md:1 Object literal may only specify known properties, and 'dollars'"),
    expect.stringContaining("a.md:9 Module '\"@x/agent\"' has no exported member 'makeAgent'"),
  ])
})
