import { functionModel } from '@x/testing'
// #region imports
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
// #endregion

// A simulated model of everybody: `llmConfig({ … })` of `@x/model` gives a real one.
const says: Readonly<Record<string, string>> = {
  researcher: 'Tea came to Europe in the seventeenth century.',
  writer: 'Tea reached Europe about 1610, on Dutch ships.',
  editor: 'Good as it is. TERMINATE',
}
const config = functionModel(({ agent = '', messages }) => {
  const last = messages.findLast(({ name }) => name !== undefined && name !== 'checking_agent')?.name
  return says[agent] ?? (last === 'user' ? 'researcher' : last === 'researcher' ? 'writer' : 'editor')
})

// #region agents
const user = new UserProxyAgent({
  name: 'user',
  humanInputMode: 'NEVER',
  codeExecutionConfig: false,
})
const researcher = new AssistantAgent({
  name: 'researcher',
  systemMessage: 'You find facts.',
  description: 'Finds facts; speaks first.',
  llmConfig: config,
})
const writer = new AssistantAgent({
  name: 'writer',
  systemMessage: 'You write one sentence.',
  description: 'Writes the text.',
  llmConfig: config,
})
const editor = new AssistantAgent({
  name: 'editor',
  systemMessage: 'You approve with TERMINATE.',
  description: 'Has the last word.',
  llmConfig: config,
})
// #endregion

// #region group
const group = new GroupChat({
  agents: [user, researcher, writer, editor],
  maxRound: 12,
  speakerSelectionMethod: 'auto',
  allowedOrDisallowedSpeakerTransitions: {
    user: [researcher],
    researcher: [writer, researcher],
    writer: [editor],
    editor: [writer, user],
  },
  speakerTransitionsType: 'allowed',
})
const manager = new GroupChatManager({
  groupchat: group,
  llmConfig: config,
  isTerminationMsg: ({ content }) => typeof content === 'string' && content.includes('TERMINATE'),
})
// #endregion

// #region chat
const result = await user.initiateChat(manager, { message: 'One sentence on tea in Europe.' })
for (const { name, content } of group.messages) console.log(name, content)
console.log(result.summary, result.cost)
// #endregion
