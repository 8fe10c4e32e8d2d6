import { OpenJobs, search, Tree, type Candidate, type Method, type SearchParts, type Strategy } from '@x/reasoning'

/** Takes the first option of every reply, to a depth of three, and answers from there. */
const straightDown: Method = (task): Strategy => {
  const tree = new Tree(task)
  const jobs = new OpenJobs(task)
  let node = tree.root
  let answer: Candidate | null = null
  jobs.expand(node)
  return {
    trees: [tree],
    jobs,
    ask: () => jobs.list(),
    tell(job, outcome) {
      if (!jobs.close(job)) return
      if (outcome.kind === 'expand' && outcome.options[0]) {
        node = tree.add(node, outcome.options[0].content)
        if (node.depth < 3) jobs.expand(node)
        else jobs.answer(node)
      } else {
        const text = outcome.kind === 'answer' ? outcome.text : null
        answer = { text, node, verdict: null, accepted: text !== null }
      }
    },
    get answer() {
      return answer
    },
    best: () => answer ?? { text: null, node, verdict: null, accepted: false },
  }
}

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
