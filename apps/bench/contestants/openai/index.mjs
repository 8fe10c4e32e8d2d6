// The openai SDK as it is: the floor that the others are measured against.
import OpenAI from 'openai'
import { zodFunction } from 'openai/helpers/zod'
import { z } from 'zod'
import { SYSTEM_A, SYSTEM_B, TOOL, completion, handChat, makeReply, openaiMessages } from '../../src/contestant.ts'

export const info = {
  title: 'openai SDK',
  packages: ['openai'],
  imports: ['openai'],
  hello: `import OpenAI from 'openai';
const client = new OpenAI();
const r = await client.chat.completions.create({ model: 'mock', messages: [{ role: 'user', content: 'hello' }] });
console.log(r.choices[0].message.content);`,
  kinds: { call: 'built-in', fallback: 'hand', cache: 'hand', tools: 'built-in', chat: 'hand' },
  notes: {
    tools: 'client.chat.completions.runTools with zodFunction',
    fallback: 'try/catch by hand',
    cache: 'Map by hand, key = JSON of the request',
  },
}

export async function create({ baseURL, apiKey }) {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 0 })
  const offline = new OpenAI({
    baseURL,
    apiKey,
    maxRetries: 0,
    fetch: async () =>
      new Response(JSON.stringify(completion('mock', makeReply())), {
        headers: { 'content-type': 'application/json' },
      }),
  })
  const ask = ({ model, system, user }) => ({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  })
  const call = async (q) => (await client.chat.completions.create(ask(q))).choices[0].message.content

  async function stream(q, onText) {
    let text = ''
    for await (const chunk of await client.chat.completions.create({
      ...ask(q),
      stream: true,
      stream_options: { include_usage: true },
    })) {
      const delta = chunk.choices[0]?.delta.content
      if (delta) {
        text += delta
        onText(delta)
      }
    }
    return text
  }

  function fallback(models) {
    return async ({ system, user }) => {
      let error
      for (const model of models) {
        try {
          return await call({ model, system, user })
        } catch (e) {
          error = e
        }
      }
      throw error
    }
  }

  function cached() {
    const cache = new Map()
    return async (q) => {
      const body = ask(q)
      const key = JSON.stringify(body)
      let hit = cache.get(key)
      if (hit === undefined) cache.set(key, (hit = await client.chat.completions.create(body)))
      return hit.choices[0].message.content
    }
  }

  function toolLoop({ model, maxTurns, onCall }) {
    const tools = [
      zodFunction({
        name: TOOL.name,
        description: TOOL.description,
        parameters: TOOL.schema(z),
        function: (args) => (onCall(), TOOL.run(args)),
      }),
    ]
    return (q) =>
      client.chat.completions
        .runTools({ ...ask({ ...q, model }), tools }, { maxChatCompletions: maxTurns })
        .finalContent()
  }

  const chat =
    (via) =>
    ({ model }) =>
      handChat(
        [{ system: SYSTEM_A }, { system: SYSTEM_B }],
        async (agent, view) => {
          const r = await via.chat.completions.create({
            model,
            messages: [{ role: 'system', content: agent.system }, ...view],
          })
          return r.choices[0].message.content
        },
        openaiMessages,
      )

  return {
    call,
    stream,
    fallback,
    cached,
    toolLoop,
    chats: { http: chat(client), fake: chat(offline) },
    idle: { chat: chat(offline) },
  }
}
