/**
 * A chat over a WebSocket: what agents do goes out as JSON while it happens, and the person's answers come in. After
 * `agentchat_websockets.ipynb` of AG2, whose `IOWebsockets` is an `io` of two functions here.
 */
import { deepEqual } from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { AssistantAgent, UserProxyAgent } from '@x/agent'
import type { Io } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'
import { WebSocketServer, type WebSocket as ServerSocket } from 'ws'

// A simulated model: `llmConfig({ … })` of `@x/model` gives a real one.
const model = functionModel(({ messages }) => `You said ${contentText(messages.at(-1)?.content)}.`)

/** Sends events to a socket, and asks whoever is behind it. */
const ioOf = (socket: ServerSocket): Io => ({
  send: (event) => socket.send(JSON.stringify(event)),
  async input(prompt) {
    socket.send(JSON.stringify({ type: 'question', prompt }))
    const [data] = (await once(socket, 'message')) as [Buffer]
    return data.toString()
  },
})

const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
server.on('connection', (socket) => {
  void (async () => {
    const [first] = (await once(socket, 'message')) as [Buffer]
    const io = ioOf(socket)
    const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model, io })
    const user = new UserProxyAgent({ name: 'user', codeExecutionConfig: false, io })
    await user.initiateChat(assistant, { message: first.toString(), maxTurns: 3 })
    socket.close()
  })()
})
await once(server, 'listening')

// The page of a person: it says hello, answers once, and then ends the chat.
const page = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
const answers = ['And how are you?', 'exit']
const said: string[] = []
page.addEventListener('open', () => page.send('Hello'))
page.addEventListener('message', ({ data }) => {
  const event = JSON.parse(String(data)) as { readonly type: string; readonly message?: { readonly content?: unknown } }
  if (event.type === 'question') page.send(answers.shift() ?? 'exit')
  if (event.type === 'receivedMessage') said.push(contentText(event.message?.content))
})
await once(page, 'close')
server.close()
for (const line of said) console.log(line)
deepEqual(said, ['Hello', 'You said Hello.', 'And how are you?', 'You said And how are you?.'])
