import { UserProxyAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { ReasoningAgent } from '@x/reasoning'
import { questionOf, StandInClient, verifierOf } from '@x/game-of-24'

// A provider of one's own; `openai` of `@x/provider-openai` is one as well.
const standIn = { apiTypes: ['stand-in'], specVersion: 1, createClient: () => new StandInClient() } as const
const llm = llmConfig({
  providers: [standIn],
  configList: [{ model: 'stand-in', apiType: 'stand-in' }],
  cacheSeed: null,
})

const reasoner = new ReasoningAgent({
  name: 'reasoner',
  llmConfig: llm,
  silent: true,
  reasonConfig: { method: 'best_first', maxDepth: 3, verifier: verifierOf('4 5 6 10') },
})
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })

const chat = await user.initiateChat(reasoner, { message: questionOf('4 5 6 10'), maxTurns: 1, silent: true })
console.log(chat.summary)
console.log(reasoner.thinker.totalUsage, reasoner.grader.totalUsage, chat.cost.usageIncludingCachedInference)
