import './simulated-openai.ts'
// #region program
import { createAgent, openai } from '@x/kit'

const model = openai('gpt-5-mini')
const writer = createAgent({ name: 'writer', model, instructions: 'You write one line, and improve it.' })
const critic = createAgent({ name: 'critic', model, instructions: 'You say in one line what to improve.' })

const chat = await critic.initiateChat(writer, { message: 'Write a line about rain.', maxTurns: 2, silent: true })
for (const { name, content } of chat.chatHistory) console.log(`${name}:`, content)
// #endregion
