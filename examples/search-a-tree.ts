import { bestFirst, modelParts, renderText, search, SearchProgress } from '@x/reasoning'
import { functionModel } from '@x/testing'

const question = 'Pay exactly 30 with three coins of 16, 10 or 1.'
const coinsIn = (text: string): number[] => [...text.matchAll(/take (\d+)/g)].map(([, coin]) => Number(coin))
const sum = (coins: readonly number[]): number => coins.reduce((a, b) => a + b, 0)

// Simulates a model that knows this puzzle only; `llmConfig({ … }).createModel()` gives a real one.
const model = functionModel(({ agent, messages }) => {
  const coins = coinsIn(JSON.stringify(messages.at(-1)))
  if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10\nOption 3: take 1'
  if (agent !== 'tot_grader') return `${coins.join(' + ')} = ${sum(coins)}`
  const [taken, options] = [coins.slice(0, -3), coins.slice(-3)]
  const missing = options.map((coin) => 30 - sum(taken) - coin)
  return missing.map((rest, i) => `Option ${i + 1}: Rating: ${rest < 0 ? 1 : 7}`).join('\n')
}).createModel()
const progress = new SearchProgress()

const result = await search(question, {
  ...modelParts({ model }),
  method: bestFirst({ maxDepth: 3 }),
  verifier: (answer) => answer.endsWith(' = 30'),
  budget: { calls: 60 },
  emit: (event) => progress.take(event),
})
console.log(renderText(result))
console.log(`${result.status}: ${result.answer}`)
console.log(progress.line())
