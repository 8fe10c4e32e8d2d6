import './simulated-wires.ts'
// #region program
import { createAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { anthropic } from '@x/provider-anthropic'

const agent = createAgent({
  name: 'assistant',
  model: llmConfig(anthropic('claude-sonnet-4-5')),
  instructions: 'Be brief.',
})
const { text } = await agent.run('What is the capital of France?')
console.log(text)
// #endregion
