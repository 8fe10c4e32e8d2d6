import { createAgent } from 'langchain'

const agent = createAgent({ model: 'openai:gpt-5-mini', systemPrompt: 'Be brief.' })
const input = { messages: [{ role: 'user', content: 'Say hello.' }] }
for await (const [token] of await agent.stream(input, { streamMode: 'messages' })) process.stdout.write(token.text)
