import { Agent } from '@mastra/core/agent'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'

const weather = createTool({
  id: 'weather',
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => `Sunny in ${city}`,
})
const agent = new Agent({
  id: 'assistant',
  name: 'assistant',
  model: 'openai/gpt-5-mini',
  instructions: 'Be brief.',
  tools: { weather },
})
const { text } = await agent.generate('Weather in Oslo?')
console.log(text)
