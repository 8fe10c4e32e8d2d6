// LlamaIndex.TS: its OpenAI class and its agent workflow. All its packages are marked as deprecated on the registry.
import { OpenAI } from '@llamaindex/openai'
import { agent } from '@llamaindex/workflow'
import { tool } from 'llamaindex'
import { z } from 'zod'
import { SYSTEM_A, SYSTEM_B, TOOL, handChat, memo, openaiMessages } from '../../src/contestant.ts'

export const info = {
  title: 'llamaindex',
  packages: ['llamaindex', '@llamaindex/openai', '@llamaindex/workflow', 'zod'],
  imports: ['llamaindex', '@llamaindex/openai', '@llamaindex/workflow'],
  hello: `import { OpenAI } from '@llamaindex/openai';
import { agent } from '@llamaindex/workflow';
const r = await agent({ llm: new OpenAI({ model: 'mock' }), tools: [] }).run('hello');
console.log(r.data.result);`,
  kinds: { call: 'built-in', fallback: 'none', cache: 'none', tools: 'built-in', chat: 'hand' },
  streamsTools: true,
  notes: { call: 'OpenAI.chat', tools: 'agent() of @llamaindex/workflow (streams its model calls)' },
}

export async function create({ baseURL, apiKey }) {
  const model = memo((name) => new OpenAI({ model: name, apiKey, baseURL, maxRetries: 0 }))
  const ask = (q) => [
    { role: 'system', content: q.system },
    { role: 'user', content: q.user },
  ]
  const call = async (q) => (await model(q.model).chat({ messages: ask(q) })).message.content
  async function stream(q, onText) {
    let text = ''
    for await (const chunk of await model(q.model).chat({ messages: ask(q), stream: true })) {
      if (chunk.delta) {
        text += chunk.delta
        onText(chunk.delta)
      }
    }
    return text
  }
  function toolLoop({ model: name, onCall }) {
    const weather = tool({
      name: TOOL.name,
      description: TOOL.description,
      parameters: TOOL.schema(z),
      execute: (args) => (onCall(), TOOL.run(args)),
    })
    const made = memo((systemPrompt) => agent({ llm: model(name), tools: [weather], systemPrompt }))
    return async (q) => (await made(q.system).run(q.user)).data.result
  }
  const http = ({ model: name }) =>
    handChat(
      [{ system: SYSTEM_A }, { system: SYSTEM_B }],
      async (speaker, view) => {
        const r = await model(name).chat({ messages: [{ role: 'system', content: speaker.system }, ...view] })
        return r.message.content
      },
      openaiMessages,
    )
  return { call, stream, toolLoop, chats: { http } }
}
