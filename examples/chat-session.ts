import { tool } from '@x/agent'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { ChatSession, createSessionAgents } from '@x/session'
import { functionModel } from '@x/testing'

const sendLetter = tool({
  name: 'send_letter',
  description: 'Sends a letter.',
  parameters: { type: 'object', properties: { to: { type: 'string' } }, required: ['to'] },
  needsApproval: true,
  execute: ({ to }) => `sent to ${String(to)}`,
})
const apiKey = process.env.OPENAI_API_KEY
const llm = apiKey
  ? llmConfig({ providers: [openai], configList: [{ model: 'gpt-5-mini', apiKey }] })
  : functionModel(({ messages }) => {
      const last = messages.at(-1)
      if (last?.role === 'tool') return `Simulated: the tool says ${JSON.stringify(last.content)}.`
      return {
        tool_calls: [{ id: `call_${messages.length}`, function: { name: 'send_letter', arguments: '{"to":"Ada"}' } }],
      }
    })

// Run it twice: the second time the chat has its earlier messages.
using session = new ChatSession({
  folder: '.cache/chat-session',
  agents: () => createSessionAgents({ llmConfig: llm, systemMessage: 'You send letters.', tools: [sendLetter] }),
})
if (session.unfinished === null) for await (const { type } of session.say('Write to Ada.')) console.log(type)
// The turn waits for an approval. It may also come in another process, which opens the same folder.
while (session.unfinished !== null) {
  for (const { id } of session.pending) await session.decide(id, { allow: true })
  for await (const { type } of session.resume()) console.log(type)
}
console.log(session.messages)
