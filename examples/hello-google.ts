import './simulated-wires.ts'
// #region program
import { createAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { google } from '@x/provider-google'

const agent = createAgent({
  name: 'assistant',
  model: llmConfig(google('gemini-2.5-flash')),
  instructions: 'Be brief.',
})
const { text } = await agent.run('What is the capital of France?')
console.log(text)
// #endregion
