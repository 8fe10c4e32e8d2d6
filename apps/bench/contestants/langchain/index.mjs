// LangChain's chat model on its own; the agent loops of the same family are in the contestant langgraph.
import { InMemoryCache } from '@langchain/core/caches'
import { SimpleChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { z } from 'zod'
import { SYSTEM_A, SYSTEM_B, TOOL, handChat, makeReply, memo } from '../../src/contestant.ts'

export const info = {
  title: 'langchain (core + openai)',
  packages: ['@langchain/openai', '@langchain/core', 'zod'],
  imports: ['@langchain/openai', '@langchain/core/messages'],
  hello: `import { ChatOpenAI } from '@langchain/openai';
const r = await new ChatOpenAI({ model: 'mock' }).invoke('hello');
console.log(r.text);`,
  kinds: { call: 'built-in', fallback: 'built-in', cache: 'built-in', tools: 'hand', chat: 'hand' },
  notes: {
    fallback: 'withFallbacks',
    cache: 'InMemoryCache as the option cache',
    tools: 'bindTools and a loop by hand (agent loops are in langgraph)',
    fake: 'subclass of SimpleChatModel (FakeListChatModel can answer from a fixed list only)',
  },
}

export async function create({ baseURL, apiKey }) {
  const make = (model, more) => new ChatOpenAI({ model, apiKey, maxRetries: 0, configuration: { baseURL }, ...more })
  const model = memo((name) => make(name))
  class Offline extends SimpleChatModel {
    _llmType() {
      return 'fake'
    }
    async _call() {
      return makeReply()
    }
  }
  const offline = new Offline({})
  const messages = (q) => [new SystemMessage(q.system), new HumanMessage(q.user)]
  const call = async (q) => (await model(q.model).invoke(messages(q))).text

  async function stream(q, onText) {
    let text = ''
    for await (const chunk of await model(q.model).stream(messages(q))) {
      const delta = chunk.text
      if (delta) {
        text += delta
        onText(delta)
      }
    }
    return text
  }

  function fallback(names) {
    const [first, ...others] = names.map((name) => model(name))
    const all = first.withFallbacks({ fallbacks: others })
    return async (q) => (await all.invoke(messages(q))).text
  }

  function cached(name) {
    const m = make(name, { cache: new InMemoryCache() })
    return async (q) => (await m.invoke(messages(q))).text
  }

  function toolLoop({ model: name, maxTurns, onCall }) {
    const weather = tool(async (args) => (onCall(), TOOL.run(args)), {
      name: TOOL.name,
      description: TOOL.description,
      schema: TOOL.schema(z),
    })
    const bound = model(name).bindTools([weather])
    return async (q) => {
      const history = messages(q)
      for (let turn = 0; turn < maxTurns; turn++) {
        const answer = await bound.invoke(history)
        history.push(answer)
        if (!answer.tool_calls?.length) return answer.text
        for (const c of answer.tool_calls) history.push(await weather.invoke(c))
      }
      throw new Error('too many turns')
    }
  }

  const chat =
    (of) =>
    ({ model: name }) =>
      handChat(
        [new SystemMessage(SYSTEM_A), new SystemMessage(SYSTEM_B)],
        async (system, view) => {
          return (await of(name).invoke([system, ...view])).text
        },
        { assistant: (text) => new AIMessage(text), user: (text) => new HumanMessage(text) },
      )
  const fake = chat(() => offline)

  return { call, stream, fallback, cached, toolLoop, chats: { http: chat(model), fake }, idle: { chat: fake } }
}
