/**
 * A workflow by states: who speaks next follows from who spoke and from how the code ended. After
 * `agentchat_groupchat_stateflow.ipynb` of AG2.
 */
import { deepEqual } from 'node:assert/strict'
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { createCodeExecutor } from '@x/exec'
import { GroupChat, GroupChatManager } from '@x/group'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'

// A simulated model: the first program of the coder fails.
const config = functionModel(({ agent, messages }) => {
  if (agent === 'scientist') return '| title |\n| --- |\n| Attention |'
  return messages.some(({ content }) => contentText(content).startsWith('exitcode: 1'))
    ? '```js\nconsole.log("Attention")\n```'
    : '```js\nthrow new Error("no network")\n```'
})

await using executor = createCodeExecutor('wasm')
const initializer = new UserProxyAgent({ name: 'init', humanInputMode: 'NEVER', codeExecutionConfig: false })
const coder = new AssistantAgent({ name: 'coder', llmConfig: config })
const runner = new UserProxyAgent({ name: 'runner', humanInputMode: 'NEVER', codeExecutionConfig: { executor } })
const scientist = new AssistantAgent({ name: 'scientist', llmConfig: config })

const groupchat = new GroupChat({
  agents: [initializer, coder, runner, scientist],
  maxRound: 20,
  speakerSelectionMethod(last, { messages }) {
    if (last === initializer) return coder
    if (last === coder) return runner
    // The original compares the whole text with `exitcode: 1`, which it never is: its failures go on as successes.
    if (last === runner) return contentText(messages.at(-1)?.content).startsWith('exitcode: 0') ? scientist : coder
    return null
  },
})
const manager = new GroupChatManager({ groupchat })
await initializer.initiateChat(manager, { message: 'Papers of last week, please.', silent: true })
for (const { name, content } of groupchat.messages) console.log(`${name}: ${content as string}`)
deepEqual(
  groupchat.messages.map(({ name }) => name),
  ['init', 'coder', 'runner', 'coder', 'runner', 'scientist'],
)
