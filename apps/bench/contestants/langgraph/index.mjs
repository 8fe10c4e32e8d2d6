// LangGraph: its prebuilt agent for tools, a graph of two nodes for the chat of two agents.
import { SimpleChatModel } from '@langchain/core/language_models/chat_models'
import { HumanMessage, SystemMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { END, MemorySaver, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import { SqliteSaver } from '@langchain/langgraph-checkpoint-sqlite'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { ChatOpenAI } from '@langchain/openai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { OPENER, SYSTEM, SYSTEM_A, SYSTEM_B, TOOL, makeReply, memo } from '../../src/contestant.ts'

export const info = {
  title: 'langgraph',
  packages: ['@langchain/langgraph', '@langchain/openai', '@langchain/core', 'zod'],
  imports: ['@langchain/langgraph', '@langchain/langgraph/prebuilt', '@langchain/openai', '@langchain/core/messages'],
  hello: `import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
const agent = createReactAgent({ llm: new ChatOpenAI({ model: 'mock' }), tools: [] });
const r = await agent.invoke({ messages: [{ role: 'user', content: 'hello' }] });
console.log(r.messages.at(-1).text);`,
  kinds: { call: 'agent', fallback: 'see langchain', cache: 'see langchain', tools: 'built-in', chat: 'built-in' },
  notes: {
    call: 'one run of createReactAgent without tools (a bare model call is the contestant langchain)',
    tools: 'createReactAgent',
    chat: 'graph of two nodes that write into one list of messages, one invoke for all turns; no checkpointer unless said',
    fake: 'subclass of SimpleChatModel',
    talk: 'graph of one node with the checkpointer of the database, one invoke a message',
  },
}

export async function create({ baseURL, apiKey }) {
  const model = memo((name) => new ChatOpenAI({ model: name, apiKey, maxRetries: 0, configuration: { baseURL } }))
  class Offline extends SimpleChatModel {
    _llmType() {
      return 'fake'
    }
    async _call() {
      return makeReply()
    }
  }
  const offline = new Offline({})

  const agentOf = memo((key) => {
    const [name, system] = JSON.parse(key)
    return createReactAgent({ llm: model(name), tools: [], prompt: system })
  })
  const agent = (q) => agentOf(JSON.stringify([q.model, q.system]))
  const call = async (q) => (await agent(q).invoke({ messages: [new HumanMessage(q.user)] })).messages.at(-1).text

  async function stream(q, onText) {
    let text = ''
    for await (const [chunk] of await agent(q).stream(
      { messages: [new HumanMessage(q.user)] },
      { streamMode: 'messages' },
    )) {
      const delta = chunk.text
      if (delta) {
        text += delta
        onText(delta)
      }
    }
    return text
  }

  function toolLoop({ model: name, maxTurns, onCall }) {
    const weather = tool(async (args) => (onCall(), TOOL.run(args)), {
      name: TOOL.name,
      description: TOOL.description,
      schema: TOOL.schema(z),
    })
    const made = memo((system) => createReactAgent({ llm: model(name), tools: [weather], prompt: system }))
    return async (q) => {
      const r = await made(q.system).invoke(
        { messages: [new HumanMessage(q.user)] },
        { recursionLimit: 2 * maxTurns + 2 },
      )
      return r.messages.at(-1).text
    }
  }

  /** The limit of turns is read from the number of messages, so that the graph needs no state of its own. */
  function build(llm, checkpointer) {
    const speak = (name, system) => {
      const head = new SystemMessage(system)
      return async ({ messages }) => {
        const answer = await llm.invoke([head, ...messages])
        return { messages: [new HumanMessage({ content: answer.text, name })] }
      }
    }
    const on =
      (next) =>
      ({ messages }, { configurable: { until } }) =>
        messages.length >= until ? END : next
    return new StateGraph(MessagesAnnotation)
      .addNode('ann', speak('ann', SYSTEM_A))
      .addNode('bob', speak('bob', SYSTEM_B))
      .addEdge(START, 'ann')
      .addConditionalEdges('ann', on('bob'), ['bob', END])
      .addConditionalEdges('bob', on('ann'), ['ann', END])
      .compile({ checkpointer })
  }
  let threads = 0
  const chat = (of, save) => {
    const graphs = memo((name) => build(of(name), save ? new MemorySaver() : undefined))
    return ({ model: name }) => {
      const graph = graphs(name)
      const self = {
        graph,
        thread: `thread-${++threads}`,
        messages: [],
        async run(turns) {
          const r = await graph.invoke(
            { messages: [new HumanMessage(OPENER)] },
            {
              recursionLimit: turns + 10,
              configurable: { until: turns + 1, thread_id: self.thread },
            },
          )
          if (!save) self.messages = r.messages
          return { turns: r.messages.length - 1, messages: r.messages.length, last: r.messages.at(-1).text }
        },
      }
      return self
    }
  }

  const answering = (checkpointer) => {
    const head = new SystemMessage(SYSTEM)
    return new StateGraph(MessagesAnnotation)
      .addNode('answer', async ({ messages }) => ({ messages: [await offline.invoke([head, ...messages])] }))
      .addEdge(START, 'answer')
      .addEdge('answer', END)
      .compile({ checkpointer })
  }
  const talksIn = (checkpointer, close) => {
    const graph = answering(checkpointer)
    const say = async (thread_id, message) =>
      (await graph.invoke({ messages: [new HumanMessage(message)] }, { configurable: { thread_id } })).messages.at(-1)
        .text
    return { say, close }
  }
  const talks = {
    sqlite: async () => {
      const folder = mkdtempSync(join(tmpdir(), 'bench-talk-'))
      const saver = SqliteSaver.fromConnString(join(folder, 'chats.db'))
      return talksIn(saver, async () => {
        saver.db.close()
        rmSync(folder, { recursive: true })
      })
    },
    ...(process.env.BENCH_POSTGRES && {
      postgres: async () => {
        const saver = PostgresSaver.fromConnString(process.env.BENCH_POSTGRES)
        await saver.setup()
        return talksIn(saver, () => saver.end())
      },
    }),
  }

  return {
    call,
    stream,
    toolLoop,
    talks,
    chats: { http: chat(model), fake: chat(() => offline), 'fake+checkpointer': chat(() => offline, true) },
    idle: { chat: chat(() => offline), 'chat+checkpointer': chat(() => offline, true) },
  }
}
