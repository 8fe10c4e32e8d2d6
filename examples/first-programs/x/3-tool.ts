import { createAgent, openai, tool } from '@x/kit'
import { z } from 'zod'

const weather = tool({
  name: 'weather',
  description: 'The weather of a city',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
})
const agent = createAgent({ name: 'assistant', model: openai('gpt-5-mini'), instructions: 'Be brief.', tools: weather })
console.log((await agent.run('Weather in Oslo?')).text)
