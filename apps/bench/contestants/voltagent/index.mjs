// VoltAgent's Agent on the OpenAI provider of the AI SDK (version 6), chat completions wire format.
import { createOpenAI } from '@ai-sdk/openai'
import { Agent, createTool } from '@voltagent/core'
import { z } from 'zod'
import { SYSTEM_A, SYSTEM_B, TOOL, handChat, makeReply, memo, openaiMessages } from '../../src/contestant.ts'

export const info = {
  title: '@voltagent/core',
  packages: ['@voltagent/core', '@voltagent/logger', 'ai', '@ai-sdk/openai', '@ai-sdk/provider-utils', 'zod'],
  imports: ['@voltagent/core', '@ai-sdk/openai'],
  hello: `import { createOpenAI } from '@ai-sdk/openai';
import { Agent } from '@voltagent/core';
const agent = new Agent({ name: 'a', instructions: 'b', model: createOpenAI().chat('mock') });
console.log((await agent.generateText('hello')).text);`,
  kinds: { call: 'agent', fallback: 'built-in', cache: 'none', tools: 'built-in', chat: 'hand' },
  notes: {
    call: 'Agent.generateText without tools, memory: false',
    fallback: 'list of models of the agent, maxRetries 0 each',
    chat: 'alternate Agent.generateText calls with the whole history, memory: false',
    fake: 'an object of the LanguageModelV3 interface',
  },
}

export async function create({ baseURL, apiKey }) {
  const openai = createOpenAI({ baseURL, apiKey })
  const model = memo((name) => openai.chat(name))
  const offline = {
    specificationVersion: 'v3',
    provider: 'fake',
    modelId: 'fake',
    supportedUrls: {},
    doGenerate: async () => ({
      content: [{ type: 'text', text: makeReply() }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: { inputTokens: { total: 100, noCache: 100 }, outputTokens: { total: 40, text: 40 } },
      warnings: [],
    }),
    doStream() {
      throw new Error('not here')
    },
  }
  const make = (more) => new Agent({ name: 'assistant', memory: false, maxRetries: 0, ...more })
  const agentOf = memo((key) => {
    const [name, instructions] = JSON.parse(key)
    return make({ instructions, model: model(name) })
  })
  const agent = (q) => agentOf(JSON.stringify([q.model, q.system]))
  const call = async (q) => (await agent(q).generateText(q.user)).text

  async function stream(q, onText) {
    let text = ''
    const r = await agent(q).streamText(q.user)
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
    return async (q) => (await made(q.system).generateText(q.user)).text
  }

  function toolLoop({ model: name, maxTurns, onCall }) {
    const weather = createTool({
      name: TOOL.name,
      description: TOOL.description,
      parameters: TOOL.schema(z),
      execute: async (args) => (onCall(), TOOL.run(args)),
    })
    const made = memo((instructions) =>
      make({ instructions, model: model(name), tools: [weather], maxSteps: maxTurns }),
    )
    return async (q) => (await made(q.system).generateText(q.user)).text
  }

  const chat =
    (of) =>
    ({ model: name }) =>
      handChat(
        [
          make({ name: 'ann', instructions: SYSTEM_A, model: of(name) }),
          make({ name: 'bob', instructions: SYSTEM_B, model: of(name) }),
        ],
        async (speaker, view) => (await speaker.generateText(view)).text,
        openaiMessages,
      )
  const fake = chat(() => offline)

  return { call, stream, fallback, toolLoop, chats: { http: chat(model), fake }, idle: { chat: fake } }
}
