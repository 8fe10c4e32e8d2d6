import { createAgent, openai } from '@x/kit'

const agent = createAgent({ name: 'assistant', model: openai('gpt-5-mini'), instructions: 'Be brief.' })
const { textStream } = agent.runStream('Say hello.')
for await (const text of textStream) process.stdout.write(text)
