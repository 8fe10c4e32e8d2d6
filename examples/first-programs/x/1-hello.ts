import { createAgent, openai } from '@x/kit'

const agent = createAgent({ name: 'assistant', model: openai('gpt-5-mini'), instructions: 'Be brief.' })
const { text } = await agent.run('Say hello.')
console.log(text)
