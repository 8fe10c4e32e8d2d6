import { search, searchSync, type Method, type SearchParts } from '@x/reasoning'
import { searchMethodContract } from '@x/testing'
import { describe, expect, test } from 'vitest'

interface Example {
  readonly ladders: () => Method
  readonly parts: SearchParts
  readonly question: string
}
const EXAMPLE = new URL('../../../examples/word-ladder.ts', import.meta.url).href
const { ladders, parts, question } = (await import(EXAMPLE)) as Example

// #region contract
const { proposer, grader, answerer } = parts

searchMethodContract(
  { describe, test, expect },
  {
    name: 'word ladders',
    method: ladders(),
    search,
    searchSync,
    question,
    parts: { proposer, grader, answerer },
  },
)
// #endregion

// Steps without a meaning, as of a model that does not do what the method expects.
searchMethodContract({ describe, test, expect }, { name: 'ladders of no words', method: ladders(), search, searchSync })
