// What an AG2 user looks for, as programs that run without a key; docs/coming-from-ag2.md shows them.
import { appendFileSync, mkdirSync } from 'node:fs'
import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import type { ChatMessage, Io, Logger } from '@x/interfaces'
import { fit, limitMessages, limitTokens, pin } from '@x/history'
import { functionModel } from '@x/testing'

const model = functionModel(({ messages }) => {
  const system = messages[0]?.content
  return `${messages.length} messages; ${typeof system === 'string' ? system.split('\n').at(-1) : ''}`
})
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', silent: true })
const ask = async (agent: AssistantAgent, message: string | ChatMessage): Promise<unknown> =>
  (await user.initiateChat(agent, { message, maxTurns: 1 })).summary

// #region memory
/** What an agent was taught, in a file, a database, or a list as here. */
const facts: string[] = []
const remember = tool({
  name: 'remember',
  description: 'Remembers a fact about the user for all later chats.',
  parameters: { type: 'object', properties: { fact: { type: 'string' } }, required: ['fact'] },
  execute: ({ fact }) => `remembered as number ${facts.push(String(fact))}`,
})
const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model, functions: [remember], silent: true })
user.registerForExecution(remember)
const prompt = assistant.systemMessage
assistant.registerHook('updateAgentState', (agent: AssistantAgent) =>
  agent.updateSystemMessage([prompt, 'You remember:', ...facts].join('\n')),
)
// #endregion
facts.push('The user eats no fish.')
console.log(await ask(assistant, 'What may I eat?'))

// #region retrieval
const documents = ['Tea came to Europe about 1610.', 'Coffee came by Venice.']
const reader = new AssistantAgent({ name: 'reader', llmConfig: model, silent: true })
reader.registerHook('processLastReceivedMessage', (content) => {
  if (typeof content !== 'string') return content
  const words = content.toLowerCase().split(/\W+/u)
  const passages = documents.filter((each) => words.some((word) => word && each.toLowerCase().includes(word)))
  return `${content}\n\nUse these passages:\n${passages.join('\n')}`
})
// #endregion
console.log(await ask(reader, 'When did tea come to Europe?'))

// #region image
const message: ChatMessage = {
  content: [
    { type: 'text', text: 'What is in this picture?' },
    { type: 'image_url', image_url: { url: 'https://example.org/cat.png' } },
  ],
}
// #endregion
console.log(await ask(reader, message))

// #region transforms
const brief = new AssistantAgent({
  name: 'brief',
  llmConfig: model,
  history: fit(limitMessages({ max: 20, to: 20 }), limitTokens({ total: 8000, perMessage: 1000 }), pin(1)),
  silent: true,
})
// #endregion
console.log(await ask(brief, 'x'.repeat(10_000)))

// #region logging
mkdirSync('.cache', { recursive: true })
const logger: Logger = {
  log: (record) => appendFileSync('.cache/log.jsonl', `${JSON.stringify(record)}\n`),
}
const logged = new AssistantAgent({ name: 'logged', llmConfig: model, logger, silent: true })
// #endregion
console.log(await ask(logged, 'Hello.'))

// #region socket
/** Events go out as lines, and lines that come in answer questions; a `WebSocket` of any server fits. */
function socketIo(socket: { send(text: string): void; addEventListener: WebSocket['addEventListener'] }): Io {
  return {
    send: (event) => socket.send(JSON.stringify(event)),
    input(prompt) {
      socket.send(JSON.stringify({ type: 'question', prompt }))
      return new Promise((resolve) =>
        socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true }),
      )
    },
  }
}
// #endregion
const sent: string[] = []
const socket = Object.assign(new EventTarget(), { send: (text: string) => void sent.push(text) })
const guest = new UserProxyAgent({ name: 'guest', humanInputMode: 'ALWAYS', io: socketIo(socket) })
const answered = guest.generateReply({ messages: [{ role: 'user', content: 'And you?' }] })
while (!sent.some((line) => line.includes('"question"'))) await new Promise((resolve) => setImmediate(resolve))
socket.dispatchEvent(new MessageEvent('message', { data: 'Fine.' }))
console.log(await answered)

// #region spans
const chat = user.initiateChatStream(assistant, { message: 'Hello.', maxTurns: 1 })
for await (const event of chat) {
  // `id` and `parentId` are those of spans, so a tracer takes them as they are.
  if ('id' in event && 'ms' in event) console.log(event.type, event.id, event.parentId, event.outcome)
}
// #endregion
