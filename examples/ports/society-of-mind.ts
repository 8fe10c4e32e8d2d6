/**
 * A group that looks like one agent: its talk stays inside, and a last question makes of it an answer that stands alone. After
 * `agentchat_society_of_mind.ipynb` of AG2, whose `SocietyOfMindAgent` is a nested chat here.
 */
import { equal } from 'node:assert/strict'
import { AssistantAgent, ConversableAgent, UserProxyAgent } from '@x/agent'
import { createCodeExecutor } from '@x/exec'
import { GroupChat, GroupChatManager } from '@x/group'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'

// A simulated model of everybody.
const config = functionModel(({ agent, messages }) => {
  const last = contentText(messages.at(-1)?.content)
  if (agent !== 'inner_assistant')
    return `There are ${/\b59\b/u.exec(messages.map(({ content }) => contentText(content)).join(' '))?.[0]} such days.`
  return last.includes('exitcode: 0')
    ? 'The script has printed the answer. TERMINATE'
    : '```js\nconsole.log(31 + 28)\n```'
})
const isTerminationMsg = ({ content }: { readonly content?: unknown }): boolean =>
  contentText(content).includes('TERMINATE')

await using executor = createCodeExecutor('wasm')
const assistant = new AssistantAgent({ name: 'inner_assistant', llmConfig: config, isTerminationMsg })
const interpreter = new UserProxyAgent({
  name: 'inner_code_interpreter',
  humanInputMode: 'NEVER',
  codeExecutionConfig: { executor },
  isTerminationMsg,
})
const groupchat = new GroupChat({
  agents: [assistant, interpreter],
  speakerSelectionMethod: 'round_robin',
  allowRepeatSpeaker: false,
  maxRound: 8,
})
const manager = new GroupChatManager({ groupchat, llmConfig: config, isTerminationMsg })

const society = new ConversableAgent({ name: 'society_of_mind', llmConfig: config, humanInputMode: 'NEVER' })
society.registerNestedChats(
  [
    {
      recipient: manager,
      summaryMethod: 'reflection_with_llm',
      summaryArgs: { summaryPrompt: 'Answer the first question, as if nobody had talked about it.' },
    },
  ],
  () => true,
)

const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })
const { chatHistory } = await user.initiateChat(society, {
  message: 'How many days have the first two months?',
  maxTurns: 1,
  silent: true,
})
for (const { name, content } of chatHistory) console.log(`${name}: ${content as string}`)
equal(chatHistory.length, 2)
equal(chatHistory[1]?.content, 'There are 59 such days.')
