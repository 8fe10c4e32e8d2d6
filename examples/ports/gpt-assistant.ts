/**
 * An assistant that makes its own calls, as one of OpenAI's Assistants did. After `agentchat_oai_assistant_function_call.ipynb`
 * of AG2.
 *
 * `GPTAssistantAgent` executed the functions that were registered with it before it replied. An agent here leaves calls to who
 * asked it, so that the literal port answers that there is no such function. `run` is the counterpart: it makes the calls of its
 * agent, and the messages that it gives take the place of a thread.
 */
import { equal, match } from 'node:assert/strict'
import { createAgent, tool, UserProxyAgent } from '@x/agent'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'
import { z } from 'zod'

const followers = tool({
  name: 'ossinsight_data_api',
  description: 'Answers questions about GitHub by a table.',
  parameters: z.object({ question: z.string() }),
  execute: ({ question }) => `${question}: torvalds 166730, yyx990803 86239`,
})
// A simulated model. With a real one, `api: 'responses'` in its config has the tools of the provider beside these.
const model = functionModel(({ messages }) => {
  const last = messages.at(-1)!
  if (last.role === 'tool') return `By the table: ${contentText(last.content)}`
  const args = JSON.stringify({ question: contentText(last.content) })
  return { tool_calls: [{ id: `c${messages.length}`, function: { name: 'ossinsight_data_api', arguments: args } }] }
})
const analyst = createAgent({
  name: 'oss_analyst',
  instructions: 'You evaluate open source projects.',
  model,
  tools: followers,
})

// A thread: the messages so far, and the next question.
const first = await analyst.run('Most followers')
const second = await analyst.run([...first.messages, { role: 'user', content: 'And the second?' }])
console.log(second.text)
equal(second.messages.filter(({ role }) => role === 'user').length, 2)

// In a chat with others it answers as one agent: what it calls stays inside.
const desk = createAgent({ name: 'desk', model })
desk.registerReply(
  () => true,
  async (_, { messages, run }) => [true, (await analyst.run([...(messages ?? [])], { run })).text],
)
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false })
const { chatHistory } = await user.initiateChat(desk, { message: 'Most followers', maxTurns: 1, silent: true })
equal(chatHistory.length, 2)
match(contentText(chatHistory[1]?.content), /^By the table: .*torvalds/u)
