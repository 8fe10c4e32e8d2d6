// Our own packages, from packed tarballs.
import { AssistantAgent, ConversableAgent, UserProxyAgent, tool } from '@x/agent'
import { createMemoryCache, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { z } from 'zod'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OPENER, SYSTEM, SYSTEM_A, SYSTEM_B, TOOL, completion, makeReply, memo } from '../../src/contestant.ts'

export const info = {
  title: '@x/model + @x/agent',
  packages: ['interfaces', 'kernel', 'model', 'provider-kit', 'provider-openai', 'agent'].map((name) => `@x/${name}`),
  imports: ['@x/model', '@x/agent', '@x/provider-openai'],
  hello: `import { llmConfig } from '@x/model';
import { openai } from '@x/provider-openai';
const model = llmConfig({ providers: [openai], configList: [{ model: 'mock', apiKey: 'k' }] }).createModel();
const r = await model.create({ messages: [{ role: 'user', content: 'hello' }] });
console.log(r.choices[0].message.content);`,
  kinds: { call: 'built-in', fallback: 'built-in', cache: 'built-in', tools: 'built-in', chat: 'built-in' },
  notes: {
    tools: 'UserProxyAgent executes, AssistantAgent calls',
    fake: 'a provider whose client answers in the process',
    talk: '`run` receives messages in a loop, and `state` takes each by `onMessage`; both keep all messages',
  },
}

export async function create({ baseURL, apiKey }) {
  const one = memo((name) =>
    llmConfig({
      providers: [openai],
      cacheSeed: null,
      configList: [{ model: name, apiKey, baseUrl: baseURL, maxRetries: 0 }],
    }),
  )
  const fakeProvider = {
    apiTypes: ['fake'],
    specVersion: 1,
    createClient: () => ({
      create: async () => completion('mock', makeReply()),
      messageRetrieval: (answer) => answer.choices.map((c) => c.message.content),
      getUsage: (answer) => ({
        prompt_tokens: 100,
        completion_tokens: 40,
        total_tokens: 140,
        cost: 0,
        model: answer.model,
        promptTokens: 100,
        completionTokens: 40,
        totalTokens: 140,
      }),
      cost: () => 0,
    }),
  }
  const offline = llmConfig({
    providers: [fakeProvider],
    cacheSeed: null,
    configList: [{ model: 'mock', apiType: 'fake', apiKey: 'k' }],
  })
  const models = memo((name) => one(name).createModel())
  const ask = ({ system, user }) => ({
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  })
  const text = (r) => r.choices[0].message.content

  const call = async (q) => text(await models(q.model).create(ask(q)))

  async function stream(q, onText) {
    let whole = ''
    for await (const event of models(q.model).createStream(ask(q))) {
      if (event.type === 'textDelta') {
        whole += event.text
        onText(event.text)
      }
    }
    return whole
  }

  function fallback(names) {
    const model = llmConfig({
      providers: [openai],
      cacheSeed: null,
      configList: names.map((name) => ({ model: name, apiKey, baseUrl: baseURL, maxRetries: 0 })),
    }).createModel()
    return async (q) => text(await model.create(ask(q)))
  }

  function cached(name) {
    const model = llmConfig({
      providers: [openai],
      cache: createMemoryCache(),
      configList: [{ model: name, apiKey, baseUrl: baseURL, maxRetries: 0 }],
    }).createModel()
    return async (q) => text(await model.create(ask(q)))
  }

  function toolLoop({ model: name, maxTurns, onCall }) {
    const weather = tool({
      name: TOOL.name,
      description: TOOL.description,
      parameters: TOOL.schema(z),
      execute: (args) => (onCall(), TOOL.run(args)),
    })
    return async ({ system, user }) => {
      const assistant = new AssistantAgent({
        name: 'assistant',
        systemMessage: system,
        llmConfig: one(name),
        silent: true,
      })
      const proxy = new UserProxyAgent({
        name: 'user',
        humanInputMode: 'NEVER',
        codeExecutionConfig: false,
        silent: true,
        isTerminationMsg: (m) => !m.tool_calls,
      })
      assistant.registerForLlm(weather)
      proxy.registerForExecution(weather)
      const chat = await proxy.initiateChat(assistant, { message: user, silent: true })
      return chat.chatHistory.at(-1).content
    }
  }

  const chat =
    (of) =>
    ({ model: name }) => {
      const llm = of(name)
      const state = {}
      return {
        async run(turns) {
          const make = (n, systemMessage, max) =>
            new ConversableAgent({
              name: n,
              systemMessage,
              llmConfig: llm,
              humanInputMode: 'NEVER',
              maxConsecutiveAutoReply: max,
              silent: true,
              isTerminationMsg: () => false,
            })
          state.a = make('Ann', SYSTEM_A, Math.floor(turns / 2))
          state.b = make('Bob', SYSTEM_B, Math.ceil(turns / 2))
          const r = await state.a.initiateChat(state.b, { message: OPENER, silent: true })
          state.messages = undefined
          return { turns: r.chatHistory.length - 1, messages: r.chatHistory.length, last: r.chatHistory.at(-1).content }
        },
        state,
      }
    }
  const blocking = (q) => text(models(q.model).createSync(ask(q)))
  const fake = chat(() => offline)
  const chats = { http: chat(one), fake }
  return {
    call,
    stream,
    fallback,
    cached,
    toolLoop,
    chats,
    idle: { chat: fake },
    blocking,
    search,
    hosted,
    talks: talksOf(offline),
  }
}

// A search of ten nodes a level, whose parts answer at once.
async function search(calls) {
  const { beam, search: find } = await import('@x/reasoning')
  let options = 0
  const parts = {
    proposer: {
      propose: () => ({
        text: '',
        reflection: '',
        options: Array.from({ length: 4 }, () => ({ content: `step ${++options}` })),
      }),
    },
    grader: {
      grade: ({ nodes }) => ({
        grades: nodes.map(({ content }) => ({ value: (content.length % 10) / 9, details: '-' })),
      }),
    },
    answerer: {
      answer: ({ sample }) => ({ text: `answer ${sample}` }),
      merge: ({ answers }) => ({ text: answers[0] }),
    },
  }
  const { used } = await find('Q', { ...parts, method: beam({ beamSize: 100, maxDepth: 9 }), budget: { calls } })
  return used.calls
}

// A database in memory whose changes of the store and of the log of events are counted on their way.
async function countedSqlite() {
  const { sqlite } = await import('@x/host')
  const counted = { commits: 0, characters: 0 }
  const counting = (target, names) =>
    new Proxy(target, {
      get(of, name) {
        const value = Reflect.get(of, name)
        if (typeof value !== 'function') return value
        return (...args) => {
          if (names.includes(name)) {
            counted.commits++
            // Of a claim, its store takes the identifier and the number.
            const written = args.map((each) => (each?.epoch === undefined ? each : { id: each.id, epoch: 0 }))
            counted.characters += JSON.stringify(written, (_, each) => (typeof each === 'number' ? 0 : each)).length
          }
          return value.apply(of, args)
        }
      },
    })
  const at = sqlite(':memory:')
  const store = counting(at.store, ['submit', 'claim', 'append', 'finish', 'send', 'suspend'])
  return { at: { ...at, store, events: counting(at.events, ['append']) }, counted }
}

// Chats of three answers and two tool calls.
async function hosted(chats) {
  const { createHost, defineChat } = await import('@x/host')
  const call = (name) => ({ id: name, type: 'function', function: { name, arguments: '{"order":"17"}' } })
  const provider = {
    apiTypes: ['fake'],
    specVersion: 1,
    createClient: () => ({
      create: async ({ messages }) => {
        const results = messages.filter(({ role }) => role === 'tool').length
        const answer = completion(
          'mock',
          'The lamp of your order came broken, and five euros are on their way back to you.',
        )
        if (results < 2) answer.choices[0].message.tool_calls = [call(results === 0 ? 'look' : 'pay')]
        return answer
      },
      messageRetrieval: ({ choices }) => choices.map(({ message }) => message),
      getUsage: ({ model }) => ({ model, promptTokens: 100, completionTokens: 40, totalTokens: 140, cost: 0 }),
      cost: () => 0,
    }),
  }
  const llm = llmConfig({
    providers: [provider],
    cacheSeed: null,
    configList: [{ model: 'mock', apiType: 'fake', apiKey: 'k' }],
  })
  const tools = ['look', 'pay'].map((name) =>
    tool({
      name,
      description: 'Looks or pays.',
      parameters: { type: 'object' },
      execute: () => 'one lamp, broken, 5 euros',
    }),
  )
  const chat = defineChat({
    name: 'clerk',
    version: '1',
    run: async ({ run }) =>
      (await new AssistantAgent({ name: 'clerk', llmConfig: llm, silent: true }).run('Broken.', { tools, run })).text,
  })
  const { at, counted } = await countedSqlite()
  const host = createHost({ chats: [chat], at })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  for (let n = 0; n < chats; n++) {
    const { id } = await host.submit(chat, {}, { id: `chat-${String(n).padStart(4, '0')}` })
    if (!(await host.result(id)).startsWith('The lamp')) throw new Error('wrong result of a hosted chat')
  }
  stop.abort()
  await work
  await host.close?.()
  return counted
}

// Conversations on a host, in two forms of a program that both send all earlier messages to the model.
function talksOf(llm) {
  const answer = async (messages, message, run) => {
    const agent = new AssistantAgent({ name: 'clerk', llmConfig: llm, systemMessage: SYSTEM })
    return (await agent.run([...messages, { role: 'user', content: message }], { run })).messages
  }
  const forms = {
    state: (count) => ({
      state: { messages: [] },
      async onMessage({ messages }, message, run, { end }) {
        const all = await answer(messages, message, run)
        return all.length === 2 * count ? end(all.length) : { messages: all }
      },
    }),
    run: (count) => ({
      async run({ receive, run }) {
        let messages = []
        while (messages.length < 2 * count) messages = await answer(messages, await receive(), run)
        return messages.length
      },
    }),
  }
  const talksIn = async (form, count, open) => {
    const { createHost, defineChat } = await import('@x/host')
    const { at, remove, counted } = await open()
    const chat = defineChat({ name: 'talk', version: '1', ...forms[form](count) })
    const host = createHost({ chats: [chat], at })
    const stop = new AbortController()
    const work = host.work({ signal: stop.signal })
    const followed = new Map()
    return {
      counted,
      async say(id, message) {
        if (!followed.has(id)) {
          await host.submit(chat, {}, { id })
          followed.set(id, host.events(id)[Symbol.asyncIterator]())
        }
        await host.send(id, message)
        for (;;) {
          const { value } = await followed.get(id).next()
          if (value.event.type === 'modelCallEnd') return value.event.message
        }
      },
      async close() {
        stop.abort()
        await work
        await host.close()
        remove?.()
      },
    }
  }
  const openSqlite = async () => {
    const { sqlite } = await import('@x/host')
    const folder = mkdtempSync(join(tmpdir(), 'bench-talk-'))
    return { at: sqlite(join(folder, 'chats.db')), remove: () => rmSync(folder, { recursive: true }) }
  }
  const openPostgres = async () => {
    const { postgres } = await import('@x/host-servers')
    return { at: postgres(process.env.BENCH_POSTGRES) }
  }
  const stores = {
    sqlite: openSqlite,
    counted: countedSqlite,
    ...(process.env.BENCH_POSTGRES && { postgres: openPostgres }),
  }
  return Object.fromEntries(
    Object.keys(forms).flatMap((form) =>
      Object.entries(stores).map(([store, open]) => [`${form}-${store}`, (count) => talksIn(form, count, open)]),
    ),
  )
}
