/**
 * Tasks that wait for each other: those without open prerequisites run at once; two that need the same group, one after the other. After
 * `agentchat_multi_task_async_chats.ipynb` of AG2, third scenario.
 */
import { deepEqual, equal } from 'node:assert/strict'
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'

// A simulated model of everybody.
const config = functionModel(({ agent = '', messages }) => {
  const task = contentText(messages.find(({ role }) => role === 'user')?.content).split('\n')[0]
  return agent === 'user' ? `the group on "${task}"` : `${agent} on "${task}". TERMINATE`
})
const isTerminationMsg = ({ content }: { readonly content?: unknown }): boolean =>
  contentText(content).trimEnd().endsWith('TERMINATE')

const agent = (name: string): AssistantAgent => new AssistantAgent({ name, llmConfig: config, isTerminationMsg })
const [analyst, researcher, writer, critic] = [agent('analyst'), agent('researcher'), agent('writer'), agent('critic')]
const managerOf = (name: string, agents: readonly AssistantAgent[]): GroupChatManager =>
  new GroupChatManager({
    name,
    groupchat: new GroupChat({ agents, maxRound: 50, speakerSelectionMethod: 'round_robin' }),
    llmConfig: config,
    isTerminationMsg,
  })
const research = managerOf('research_manager', [researcher, critic])
const writing = managerOf('writing_manager', [writer, critic])
const user = new UserProxyAgent({
  name: 'user',
  humanInputMode: 'NEVER',
  codeExecutionConfig: false,
  isTerminationMsg,
})

// Chats 2 and 3 could begin together, but have one manager: the second waits. In the original their messages mix.
const summaryMethod = 'reflection_with_llm'
const results = await user.initiateChats([
  { silent: true, chatId: 1, recipient: analyst, message: 'What are the prices?' },
  { silent: true, chatId: 2, recipient: research, message: 'Why did they change?', summaryMethod, prerequisites: [1] },
  {
    silent: true,
    chatId: 3,
    recipient: research,
    message: 'Describe a plot of them.',
    summaryMethod,
    prerequisites: [1],
  },
  { silent: true, chatId: 4, recipient: writing, message: 'Write a post.', prerequisites: [1, 2, 3] },
])
for (const [id, { summary }] of results) console.log(id, summary)
deepEqual(
  [2, 3].map((id) => results.get(id)?.summary),
  ['the group on "Why did they change?"', 'the group on "Describe a plot of them."'],
)
equal(contentText(results.get(4)?.chatHistory[0]?.content).split('Context:')[1]?.trim().split('\n').length, 3)
