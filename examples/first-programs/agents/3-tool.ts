import { Agent, run, tool } from '@openai/agents'
import { z } from 'zod'

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
})
const agent = new Agent({ name: 'assistant', model: 'gpt-5-mini', instructions: 'Be brief.', tools: [weather] })
const { finalOutput } = await run(agent, 'Weather in Oslo?')
console.log(finalOutput)
