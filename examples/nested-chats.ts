import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { functionModel, scriptedModel } from '@x/testing'

const draft = scriptedModel(['A raincoat.', 'A raincoat, and boots.'])
const judge = functionModel(({ messages }) => `Also name shoes. You wrote: ${messages.at(-1)?.content as string}`)

// #region program
const writer = new AssistantAgent({ name: 'writer', llmConfig: draft, silent: true })
const critic = new AssistantAgent({ name: 'critic', llmConfig: judge, silent: true })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })

// When the writer has answered, the user's side answers with what the critic says of it.
user.registerNestedChats(
  [
    {
      recipient: critic,
      message: (_, { messages }) => messages.at(-1) ?? null,
      maxTurns: 1,
      summaryMethod: 'last_msg',
    },
  ],
  writer,
)

const { chatHistory } = await user.initiateChat(writer, { message: 'What do I wear in Oslo?', maxTurns: 2 })
for (const { name, content } of chatHistory) console.log(`${name}:`, content)
// #endregion
