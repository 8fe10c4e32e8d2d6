import { Agent, run } from '@openai/agents'
import { z } from 'zod'

const Recipe = z.object({ name: z.string(), steps: z.array(z.string()) })
const agent = new Agent({ name: 'cook', model: 'gpt-5-mini', instructions: 'You write recipes.', outputType: Recipe })
const { finalOutput } = await run(agent, 'Lasagna')
console.log(finalOutput?.steps)
