import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { functionModel } from '@x/testing'

// Simulated models: `llmConfig({ … })` of `@x/model` gives real ones.
const says = (text: string) => functionModel(() => text)
const chooses = functionModel(({ messages }) => {
  const last = messages.findLast(({ name }) => name !== 'checking_agent')
  return last?.name === 'user' ? 'planner' : last?.name === 'planner' ? 'cook' : 'critic'
})

// #region program
const planner = new AssistantAgent({
  name: 'planner',
  description: 'Plans menus.',
  llmConfig: says('Soup, then fish.'),
})
const cook = new AssistantAgent({ name: 'cook', description: 'Writes recipes.', llmConfig: says('Boil, then fry.') })
const critic = new AssistantAgent({ name: 'critic', description: 'Has the last word.', llmConfig: says('TERMINATE') })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER' })

const groupchat = new GroupChat({ agents: [planner, cook, critic], maxRound: 8, allowRepeatSpeaker: false })
const manager = new GroupChatManager({ groupchat, llmConfig: chooses })

const chat = await user.initiateChat(manager, { message: 'A dinner for four, please.', silent: true })
for (const { name, content } of groupchat.messages) console.log(`${name}: ${content as string}`)
console.log(chat.terminationReason, chat.cost.usageIncludingCachedInference.models)
// #endregion
