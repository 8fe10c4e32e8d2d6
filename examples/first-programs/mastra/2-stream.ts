import { Agent } from '@mastra/core/agent'

const agent = new Agent({ id: 'assistant', name: 'assistant', model: 'openai/gpt-5-mini', instructions: 'Be brief.' })
const { textStream } = await agent.stream('Say hello.')
for await (const text of textStream) process.stdout.write(text)
