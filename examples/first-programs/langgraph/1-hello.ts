import { createAgent } from 'langchain'

const agent = createAgent({ model: 'openai:gpt-5-mini', systemPrompt: 'Be brief.' })
const { messages } = await agent.invoke({ messages: [{ role: 'user', content: 'Say hello.' }] })
console.log(messages.at(-1)?.text)
