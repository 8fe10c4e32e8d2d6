import { Agent, run } from '@openai/agents'

const agent = new Agent({ name: 'assistant', model: 'gpt-5-mini', instructions: 'Be brief.' })
const { finalOutput } = await run(agent, 'Say hello.')
console.log(finalOutput)
