import { bestFirst, modelParts, renderText, search, SearchProgress } from '@x/reasoning'
import { BareModel, questionOf, StandInClient, verifierOf } from '@x/game-of-24'

// A stand-in that knows nothing but this game; `llmConfig({ … }).createModel()` is a model of your own.
const model = new BareModel(new StandInClient())
const progress = new SearchProgress()

const { answer, status, trees, node } = await search(questionOf('4 5 6 10'), {
  ...modelParts({ model }),
  method: bestFirst({ maxDepth: 3 }),
  verifier: verifierOf('4 5 6 10'),
  budget: { calls: 60 },
  emit: (event) => progress.take(event),
})
console.log(renderText(trees[0]!, { best: node }))
console.log(`${status}: ${answer}`)
console.log(progress.line())
