import './simulated-openai.ts'
// #region program
import { createAgent, tool } from '@x/agent'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { z } from 'zod'

const weather = tool({
  name: 'weather',
  description: 'The weather of a city today.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, sky: 'light rain', celsius: 6 }),
})
const model = llmConfig(openai('gpt-5-mini'))
const agent = createAgent({ name: 'assistant', model, instructions: 'Be brief.', tools: weather })

const { text, toolCalls, cost } = await agent.run('What should I wear in Oslo?')
console.log(text, toolCalls, cost)
// #endregion
