import { createAgent } from 'langchain'
import { z } from 'zod'

const Recipe = z.object({ name: z.string(), steps: z.array(z.string()) })
const agent = createAgent({ model: 'openai:gpt-5-mini', systemPrompt: 'You write recipes.', responseFormat: Recipe })
const { structuredResponse } = await agent.invoke({ messages: [{ role: 'user', content: 'Lasagna' }] })
console.log(structuredResponse.steps)
