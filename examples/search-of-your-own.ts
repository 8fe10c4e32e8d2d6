import { search, searchMethod, type SearchParts } from '@x/reasoning'

/** Takes the best option of every reply, to a depth of three, and answers from there; a second answer if the first is bad. */
const straightDown = searchMethod(function* (search) {
  let node = search.root
  while (!search.isEnd(node, 3)) {
    const [options = []] = yield* search.expand([node])
    yield* search.gradeTogether(options)
    const [best] = options.toSorted((a, b) => (b.grade ?? 0) - (a.grade ?? 0))
    if (!best) break
    node = best
  }
  const [answer] = yield* search.answer([node])
  if (answer && search.isVerified(answer)) return answer
  yield* search.answer([node])
})

// These parts are programs; `modelParts({ model })` gives parts that ask a model.
const parts: SearchParts = {
  proposer: {
    propose({ node }) {
      const rest = Number(/\d+$/.exec(node.content)?.[0])
      const coins = [16, 10, 1].filter((coin) => coin <= rest)
      return {
        text: '',
        reflection: '',
        options: coins.map((coin) => ({ content: `${coin}, which leaves ${rest - coin}` })),
      }
    },
  },
  grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value: 1, details: '' })) }) },
  answerer: { answer: ({ from }) => ({ text: from[0]!.steps }) },
}
const result = await search('Take three coins of 16, 10 or 1 from 30', { ...parts, method: straightDown })
console.log(result.status, result.answer)
