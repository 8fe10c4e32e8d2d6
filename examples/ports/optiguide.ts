/**
 * A commander that answers with the help of two agents behind it: a writer changes a program, a safeguard says whether that
 * is safe to run, and only then it runs, in a sandbox. After `agentchat_nestedchat_optiguide.ipynb` of AG2, which runs it by
 * `exec` in its own process.
 */
import { match } from 'node:assert/strict'
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { createCodeExecutor, extractCode } from '@x/exec'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'

/** The program that answers questions, once a line of it is changed. */
const SOURCE = `const supply = { north: 40, south: 60 }
let demand = 50
// CHANGE
const used = Object.entries(supply).reduce((left, [, most]) => left - Math.min(left, most), demand)
console.log(used === 0 ? 'cost ' + demand * 3 : 'infeasible')`

// Simulated models: the first change of the writer does harm, the second one is good.
const config = functionModel(({ agent, messages }) => {
  const last = contentText(messages.at(-1)?.content)
  if (agent === 'safeguard') return last.includes('process.exit') ? 'DANGER' : 'SAFE'
  if (last.startsWith('The result is')) return `With twice the demand, ${last.slice('The result is '.length)}.`
  return last.includes('not safe') ? '```js\ndemand *= 2\n```' : '```js\nprocess.exit()\n```'
})

await using executor = createCodeExecutor('wasm')
const writer = new AssistantAgent({ name: 'writer', llmConfig: config, silent: true })
const safeguard = new AssistantAgent({ name: 'safeguard', llmConfig: config, silent: true })
const commander = new AssistantAgent({ name: 'commander', llmConfig: config, silent: true })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', codeExecutionConfig: false, silent: true })

// What the commander says to the writer after each of its answers: that it is not safe, what went wrong, or the result.
commander.registerReply(
  writer,
  async (_, { messages, run }) => {
    const [block] = extractCode(contentText(messages?.at(-1)?.content))
    if (!block || block.language === 'unknown') return [true, null]
    const code = SOURCE.replace('// CHANGE', block.code)
    const { summary } = await commander.initiateChat(safeguard, { message: code, maxTurns: 1, run })
    if (summary !== 'SAFE') return [true, 'That is not safe to run. Write it anew.']
    const { output, exitCode } = await executor.executeCodeBlocks([{ language: 'js', code }])
    return [true, exitCode === 0 ? `The result is ${output.trim()}` : `That failed: ${output}. Write it anew.`]
  },
  { position: 0 },
)
// The user's question goes to the writer, and the last word of the two to the user.
commander.registerNestedChats([{ recipient: writer, maxTurns: 4, summaryMethod: 'last_msg' }], user)

const { summary } = await user.initiateChat(commander, { message: 'What if demand doubles?', maxTurns: 1 })
console.log(summary)
match(summary as string, /twice the demand, cost 300/u)
