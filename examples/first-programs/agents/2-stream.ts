import { Agent, run } from '@openai/agents'

const agent = new Agent({ name: 'assistant', model: 'gpt-5-mini', instructions: 'Be brief.' })
const stream = await run(agent, 'Say hello.', { stream: true })
for await (const text of stream.toTextStream()) process.stdout.write(text)
