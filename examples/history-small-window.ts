import { AssistantAgent, UserProxyAgent } from '@x/agent'
import { fit } from '@x/history'
import type { XEvent } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { startFakeOpenAI } from '@x/testing'

/** Characters that the window of this server takes, about 4,096 tokens of English. */
const WINDOW = 16_000

// A server on this machine stands for a local model: nothing says how large its window is, and it refuses what is longer.
await using server = await startFakeOpenAI({
  replies: ({ messages }) =>
    JSON.stringify(messages).length > WINDOW
      ? { failure: 'context-overflow' }
      : `I have read ${messages.length} messages. ${'Word by word. '.repeat(40)}`,
})

const io = {
  send: (event: XEvent) => {
    if (event.type === 'historyCut') console.log(event.reason, event.tokensBefore, '→', event.tokensAfter)
  },
  input: () => '',
}

// #region program
const local = llmConfig({
  providers: [openai],
  configList: [{ model: 'qwen3', baseUrl: server.url, maxRetries: 0, price: [0, 0] }],
  cacheSeed: null,
})
const assistant = new AssistantAgent({ name: 'assistant', llmConfig: local, history: fit(), io })
const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', defaultAutoReply: 'Go on.', io })

const chat = await user.initiateChat(assistant, { message: 'Tell me everything.', maxTurns: 60 })
// #endregion

console.log(`${chat.chatHistory.length} messages, ${server.requests.length} requests`)
