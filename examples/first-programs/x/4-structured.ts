import { createAgent, openai } from '@x/kit'
import { z } from 'zod'

const Recipe = z.object({ name: z.string(), steps: z.array(z.string()) })
const agent = createAgent({ name: 'cook', model: openai('gpt-5-mini'), instructions: 'You write recipes.' })
const { result } = await agent.run('Lasagna', { result: Recipe })
console.log(result.steps)
