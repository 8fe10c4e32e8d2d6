import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { scriptedModel } from '@x/testing'

const apiKey = process.env.OPENAI_API_KEY
const llm = apiKey
  ? llmConfig({ providers: [openai], configList: [{ model: 'gpt-5-mini', apiKey }] })
  : scriptedModel(['Simulated: the capital of France is Paris. TERMINATE'])
const assistant = new AssistantAgent({ name: 'assistant', llmConfig: llm })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })

const chat = await user.initiateChat(assistant, { message: 'What is the capital of France?', maxTurns: 1 })
console.log(chat.summary, chat.cost.usageIncludingCachedInference)
