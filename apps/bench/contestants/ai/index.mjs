// Vercel's AI SDK with its OpenAI provider, chat completions wire format.
import { createOpenAI } from '@ai-sdk/openai'
import { ToolLoopAgent, generateText, isStepCount, streamText, tool, wrapLanguageModel } from 'ai'
import { z } from 'zod'
import { SYSTEM_A, SYSTEM_B, TOOL, handChat, makeReply, memo, openaiMessages } from '../../src/contestant.ts'

export const info = {
  title: 'ai (Vercel AI SDK)',
  packages: ['ai', '@ai-sdk/openai', 'zod'],
  imports: ['ai', '@ai-sdk/openai'],
  hello: `import { createOpenAI } from '@ai-sdk/openai';
import { generateText } from 'ai';
const r = await generateText({ model: createOpenAI().chat('mock'), prompt: 'hello' });
console.log(r.text);`,
  kinds: { call: 'built-in', fallback: 'hand', cache: 'recipe', tools: 'built-in', chat: 'hand' },
  notes: {
    fallback: 'none in the package: try/catch by hand around generateText',
    cache: 'none in the package: the caching middleware of its manual (Map, key = JSON of the parameters)',
    tools: 'ToolLoopAgent.generate',
    fake: 'an object literal of the LanguageModelV4 interface (its MockLanguageModelV4 keeps every prompt it was given)',
  },
}

export async function create({ baseURL, apiKey }) {
  const openai = createOpenAI({ baseURL, apiKey })
  const model = memo((name) => openai.chat(name))
  const offline = {
    specificationVersion: 'v4',
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

  const call = async (q) =>
    (await generateText({ model: model(q.model), instructions: q.system, prompt: q.user, maxRetries: 0 })).text

  async function stream(q, onText) {
    let text = ''
    const r = streamText({ model: model(q.model), instructions: q.system, prompt: q.user, maxRetries: 0 })
    for await (const delta of r.textStream) {
      text += delta
      onText(delta)
    }
    return text
  }

  function fallback(models) {
    return async ({ system, user }) => {
      let error
      for (const name of models) {
        try {
          return await call({ model: name, system, user })
        } catch (e) {
          error = e
        }
      }
      throw error
    }
  }

  function cached(name) {
    const cache = new Map()
    const wrapped = wrapLanguageModel({
      model: model(name),
      middleware: {
        specificationVersion: 'v4',
        wrapGenerate: async ({ doGenerate, params, model: { provider, modelId } }) => {
          const key = JSON.stringify({ provider, modelId, params })
          let hit = cache.get(key)
          if (hit === undefined) cache.set(key, (hit = await doGenerate()))
          return hit
        },
      },
    })
    return async (q) =>
      (await generateText({ model: wrapped, instructions: q.system, prompt: q.user, maxRetries: 0 })).text
  }

  function toolLoop({ model: name, maxTurns, onCall }) {
    const agentOf = memo(
      (system) =>
        new ToolLoopAgent({
          model: model(name),
          instructions: system,
          maxRetries: 0,
          stopWhen: isStepCount(maxTurns),
          tools: {
            [TOOL.name]: tool({
              description: TOOL.description,
              inputSchema: TOOL.schema(z),
              execute: async (args) => (onCall(), TOOL.run(args)),
            }),
          },
        }),
    )
    return async (q) => (await agentOf(q.system).generate({ prompt: q.user })).text
  }

  const chat =
    (of) =>
    ({ model: name }) =>
      handChat(
        [{ system: SYSTEM_A }, { system: SYSTEM_B }],
        async (agent, view) => {
          const r = await generateText({ model: of(name), instructions: agent.system, messages: view, maxRetries: 0 })
          return r.text
        },
        openaiMessages,
      )
  const fake = chat(() => offline)

  return { call, stream, fallback, cached, toolLoop, chats: { http: chat(model), fake }, idle: { chat: fake } }
}
