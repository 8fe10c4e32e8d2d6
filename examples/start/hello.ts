import { createAgent, openai } from '@x/kit'

const agent = createAgent({ name: 'assistant', model: openai('gpt-5-mini'), instructions: 'Be brief.' })
const { text } = await agent.run('What is the capital of France?')
console.log(text)
