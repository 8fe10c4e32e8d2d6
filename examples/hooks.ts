import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { functionModel } from '@x/testing'

const model = functionModel(({ messages }) => `I read: ${messages.at(-1)?.content as string}`)

// #region program
const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model, silent: true })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })

assistant.registerHook('updateAgentState', (agent: AssistantAgent, messages) => {
  agent.updateSystemMessage(`You are in message ${messages.length}.`)
})
assistant.registerHook(
  'processLastReceivedMessage',
  (content) => `${content as string} (${new Date(0).getUTCFullYear()})`,
)
assistant.registerHook('processAllMessagesBeforeReply', (messages) => messages.slice(-10))
assistant.registerHook('processMessageBeforeSend', ({ message }) =>
  typeof message === 'string' ? message.replaceAll('secret', '***') : message,
)

const { summary } = await user.initiateChat(assistant, { message: 'Tell me the secret.', maxTurns: 1 })
console.log(summary)
// #endregion
