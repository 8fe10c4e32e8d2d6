import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { functionModel } from '@x/testing'

const model = functionModel(({ messages }) => `You said: ${messages.at(-1)?.content as string}`)

// #region program
const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model, silent: true })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })

/** Answers one of many requests at once. */
async function answer(question: string): Promise<unknown> {
  const { summary } = await user.initiateChat(assistant, { message: question, maxTurns: 1, conversation: 'own' })
  return summary
}

console.log(await Promise.all(['One?', 'Two?', 'Three?'].map(answer)))
// #endregion
