// Mastra's Agent on the OpenAI provider of the AI SDK, chat completions wire format.
import { createOpenAI } from '@ai-sdk/openai'
import { Agent } from '@mastra/core/agent'
import { InMemoryServerCache } from '@mastra/core/cache'
import { ResponseCache } from '@mastra/core/processors'
import { createTool } from '@mastra/core/tools'
import { z } from 'zod'
import { SYSTEM_A, SYSTEM_B, TOOL, handChat, makeReply, memo, openaiMessages } from '../../src/contestant.ts'

export const info = {
  title: '@mastra/core',
  packages: ['@mastra/core', '@ai-sdk/openai', 'zod'],
  imports: ['@mastra/core/agent', '@mastra/core/tools', '@ai-sdk/openai'],
  hello: `import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@mastra/core/agent';
const agent = new Agent({ id: 'a', name: 'a', instructions: 'b', model: createOpenAI().chat('mock') });
console.log((await agent.generate('hello')).text);`,
  kinds: { call: 'agent', fallback: 'built-in', cache: 'built-in', tools: 'built-in', chat: 'hand' },
  // a history that starts with the assistant gets a user message "." in front of it
  extraMessages: 1,
  notes: {
    call: 'Agent.generate without tools',
    fallback: 'list of models of the agent, maxRetries 0 each',
    cache: 'ResponseCache processor on InMemoryServerCache',
    chat: 'alternate Agent.generate calls with the whole history, no memory package',
    fake: 'an object of the LanguageModelV4 interface',
  },
}

export async function create({ baseURL, apiKey }) {
  const openai = createOpenAI({ baseURL, apiKey })
  const model = memo((name) => openai.chat(name))
  const answer = () => ({
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: { inputTokens: { total: 100, noCache: 100 }, outputTokens: { total: 40, text: 40 } },
  })
  const offline = {
    specificationVersion: 'v4',
    provider: 'fake',
    modelId: 'fake',
    supportedUrls: {},
    doGenerate: async () => ({ content: [{ type: 'text', text: makeReply() }], ...answer(), warnings: [] }),
    doStream: async () => ({
      stream: ReadableStream.from([
        { type: 'stream-start', warnings: [] },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: makeReply() },
        { type: 'text-end', id: '1' },
        { type: 'finish', ...answer() },
      ]),
    }),
  }
  let agents = 0
  const make = (more) => new Agent({ id: `agent-${++agents}`, name: 'assistant', maxRetries: 0, ...more })
  const agentOf = memo((key) => {
    const [name, instructions] = JSON.parse(key)
    return make({ instructions, model: model(name) })
  })
  const agent = (q) => agentOf(JSON.stringify([q.model, q.system]))
  const call = async (q) => (await agent(q).generate(q.user)).text

  async function stream(q, onText) {
    let text = ''
    const r = await agent(q).stream(q.user)
    for await (const delta of r.textStream) {
      text += delta
      onText(delta)
    }
    return text
  }

  function fallback(names) {
    const made = memo((instructions) =>
      make({ instructions, model: names.map((name) => ({ model: model(name), maxRetries: 0 })) }),
    )
    return async (q) => (await made(q.system).generate(q.user)).text
  }

  function cached(name) {
    const made = memo((instructions) =>
      make({
        instructions,
        model: model(name),
        inputProcessors: [new ResponseCache({ cache: new InMemoryServerCache(), ttl: 3600 })],
      }),
    )
    return async (q) => (await made(q.system).generate(q.user)).text
  }

  function toolLoop({ model: name, maxTurns, onCall }) {
    const weather = createTool({
      id: TOOL.name,
      description: TOOL.description,
      inputSchema: TOOL.schema(z),
      execute: async (args) => (onCall(), TOOL.run(args)),
    })
    const made = memo((instructions) => make({ instructions, model: model(name), tools: { [TOOL.name]: weather } }))
    return async (q) => (await made(q.system).generate(q.user, { maxSteps: maxTurns })).text
  }

  const chat =
    (of) =>
    ({ model: name }) =>
      handChat(
        [make({ instructions: SYSTEM_A, model: of(name) }), make({ instructions: SYSTEM_B, model: of(name) })],
        async (speaker, view) => (await speaker.generate(view)).text,
        openaiMessages,
      )
  const fake = chat(() => offline)

  return { call, stream, fallback, cached, toolLoop, chats: { http: chat(model), fake }, idle: { chat: fake } }
}
