import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import { clearToolResults, explain, fit, limitTokens } from '@x/history'
import { functionModel } from '@x/testing'

// A simulated model that reads file after file; `llmConfig({ … })` of `@x/model` gives real ones.
const FILES = 25
let asked = 0
const coder = functionModel(() => {
  if (asked === FILES) return 'All files are read. TERMINATE'
  const call = { name: 'read_file', arguments: `{"path":"src/file${asked}.ts"}` }
  return { content: null, tool_calls: [{ id: `call_${asked++}`, type: 'function', function: call }] }
})

const io = { send: () => {}, input: () => '' }

// #region program
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file',
  parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  // The eighth file has 200 kB, which is more than the model can read.
  execute: ({ path }) => `// ${String(path)}\n`.concat('const x = 1\n'.repeat(asked === 8 ? 16_000 : 150)),
})
const history = fit(limitTokens({ total: 8000, perMessage: 3000 }), clearToolResults({ keep: 3 }))
const assistant = new AssistantAgent({ name: 'coder', llmConfig: coder, functions: readFile, history, io })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', io })
user.registerForExecution(readFile)

const { chatHistory } = await user.initiateChat(assistant, { message: 'Read everything.' })
const { rows, tokensBefore, tokensAfter } = explain(assistant.chatMessages.get(user)!, history)
// #endregion

const largest = Math.max(...coder.calls.map(({ messages }) => JSON.stringify(messages).length))
console.log(`${chatHistory.length} messages; the largest of ${coder.calls.length} requests has ${largest} characters.`)
console.log(`Asked anew, ${tokensBefore} tokens would become ${tokensAfter}:`)
for (const { index, role, tokens, fate } of rows.slice(0, 12)) console.log(index, role, tokens, fate)
