import { Agent } from '@mastra/core/agent'
import { z } from 'zod'

const Recipe = z.object({ name: z.string(), steps: z.array(z.string()) })
const agent = new Agent({ id: 'cook', name: 'cook', model: 'openai/gpt-5-mini', instructions: 'You write recipes.' })
const { object } = await agent.generate('Lasagna', { structuredOutput: { schema: Recipe } })
console.log(object.steps)
