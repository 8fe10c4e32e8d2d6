import { functionModel } from '@x/testing'

const sum = (coins: readonly number[]) => coins.reduce((a, b) => a + b, 0)

/** Stands in for a model where there is no key: it proposes coins, rates them, and adds them up. */
export const simulated = functionModel(({ agent, messages }) => {
  const coins = [...JSON.stringify(messages.at(-1)).matchAll(/take (\d+)/g)].map(([, coin]) => Number(coin))
  if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10\nOption 3: take 1'
  if (agent !== 'tot_grader') return `${coins.join(' + ')} = ${sum(coins)}`
  const taken = sum(coins.slice(0, -3))
  const ratings = coins.slice(-3).map((coin, i) => `Option ${i + 1}: Rating: ${taken + coin > 30 ? 1 : 7}`)
  return ratings.join('\n')
})
