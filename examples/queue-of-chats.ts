import { AssistantAgent, initiateChats, UserProxyAgent } from '@x/agent'
import { scriptedModel } from '@x/testing'

/** An agent whose model has a script. */
const agent = (name: string, answer: string): AssistantAgent =>
  new AssistantAgent({ name, llmConfig: scriptedModel([answer]), silent: true })

// #region program
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })
const geographer = agent('geographer', 'It rains.')
const historian = agent('historian', 'It was a port.')
const writer = agent('writer', 'A port in the rain.')

const once = { sender: user, maxTurns: 1 }
const results = await initiateChats([
  // These two run at once, and the third one when both have ended: it carries their summaries on.
  { ...once, chatId: 1, recipient: geographer, message: 'What is the weather of Bergen?' },
  { ...once, chatId: 2, recipient: historian, message: 'What was Bergen?' },
  { ...once, chatId: 3, recipient: writer, message: 'Write a line.', prerequisites: [1, 2] },
])
console.log(results.get(3)?.summary, results.get(3)?.chatHistory[0]?.content)
// #endregion
