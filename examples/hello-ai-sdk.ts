import './simulated-wires.ts'
// #region program
import { createCohere } from '@ai-sdk/cohere'
import { createAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { aiSdk } from '@x/provider-ai-sdk'

const cohere = createCohere({ apiKey: process.env.COHERE_API_KEY ?? 'key-of-the-example' })

const agent = createAgent({
  name: 'assistant',
  model: llmConfig(aiSdk(cohere('command-a-03-2025'), { price: { input: 2.5, output: 10 } })),
  instructions: 'Be brief.',
})
const { text } = await agent.run('What is the capital of France?')
console.log(text)
// #endregion
