import { functionModel } from '@x/testing'

const coinsIn = (text: string): number[] => [...text.matchAll(/take (\d+)/gu)].map(([, coin]) => Number(coin))
const sum = (coins: readonly number[]): number => coins.reduce((a, b) => a + b, 0)

/** A task of `x reason`: pay 30 with three coins of 16, 10 or 1, on a model that knows this puzzle only. */
export const task = (asked: string) => ({
  question: `Pay exactly ${asked} with three coins of 16, 10 or 1.`,
  model: functionModel(({ agent, messages }) => {
    const coins = coinsIn(JSON.stringify(messages.at(-1)))
    if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10\nOption 3: take 1'
    if (agent !== 'tot_grader') return `${coins.join(' + ')} = ${sum(coins)}`
    const [taken, options] = [coins.slice(0, -3), coins.slice(-3)]
    const missing = options.map((coin) => Number(asked) - sum(taken) - coin)
    return missing.map((rest, i) => `Option ${i + 1}: Rating: ${rest < 0 ? 1 : 7}`).join('\n')
  }).createModel(),
  verifier: (answer: string) => answer.endsWith(` = ${asked}`),
  maxDepth: 3,
})
