import './simulated-openai.ts'
// #region program
import { createAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'

const agent = createAgent({ name: 'assistant', model: llmConfig(openai('gpt-5-mini')), instructions: 'Be brief.' })
const { text } = await agent.run('What is the capital of France?')
console.log(text)
// #endregion
