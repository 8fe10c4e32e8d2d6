import { UserProxyAgent } from '@x/agent'
import { ReasoningAgent } from '@x/reasoning'
import { functionModel } from '@x/testing'

// Simulates a model that knows this puzzle only; `llmConfig({ … })` gives a real one.
const llm = functionModel(({ agent, messages }) => {
  if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10'
  if (agent === 'tot_grader') return 'Option 1: Rating: 6\nOption 2: Rating: 5'
  const [first, second] = [...JSON.stringify(messages.at(-1)).matchAll(/take (\d+)/g)].map(([, coin]) => Number(coin))
  return `${first} + ${second} = ${first! + second!}`
})

const reasoner = new ReasoningAgent({
  name: 'reasoner',
  llmConfig: llm,
  silent: true,
  reasonConfig: { method: 'best_first', maxDepth: 2, verifier: (answer) => answer.endsWith(' = 20') },
})
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })

const message = 'Pay exactly 20 with two coins of 16 or 10.'
const chat = await user.initiateChat(reasoner, { message, maxTurns: 1, silent: true })
console.log(chat.summary)
console.log(reasoner.thinker.totalUsage, reasoner.grader.totalUsage, chat.cost.usageIncludingCachedInference)
