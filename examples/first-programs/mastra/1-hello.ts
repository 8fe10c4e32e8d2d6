import { Agent } from '@mastra/core/agent'

const agent = new Agent({ id: 'assistant', name: 'assistant', model: 'openai/gpt-5-mini', instructions: 'Be brief.' })
const { text } = await agent.generate('Say hello.')
console.log(text)
