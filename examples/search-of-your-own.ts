import { modelParts, OpenJobs, search, Tree, type Found, type Method, type Strategy } from '@x/reasoning'
import { BareModel, questionOf, StandInClient } from '@x/game-of-24'

/** Takes the first option of every reply, to a depth of three, and answers from there. */
const straightDown: Method = ({ question, sample }): Strategy => {
  const tree = new Tree({ question, id: '' })
  const open = new OpenJobs()
  let node = tree.root
  let answer: Found | null = null
  const next = (): void => {
    const place = [node.depth]
    const common = { place, level: node.depth, sample }
    if (node.depth === 3) open.post({ ...common, kind: 'answer', id: 'answer', from: [node] })
    else open.post({ ...common, kind: 'expand', id: `expand:${node.id}`, node, context: null, repair: null })
  }
  next()
  return {
    trees: [tree],
    ask: () => open.list(),
    tell(job, outcome) {
      if (!open.close(job)) return
      if (outcome.kind === 'expand' && outcome.options[0]) {
        node = tree.add(node, outcome.options[0].content)
        next()
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

const model = new BareModel(new StandInClient())
const result = await search(questionOf('4 5 6 10'), { ...modelParts({ model }), method: straightDown })
console.log(result.status, result.answer)
