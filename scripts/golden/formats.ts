import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, ChatJournal, tool } from '../../packages/agent/src/index.ts'
import { type Contestant, evaluate } from '../../packages/eval/src/index.ts'
import { sqlite } from '../../packages/host/src/index.ts'
import type { ChatResult, EventStream, HostBackend } from '../../packages/interfaces/src/index.ts'
import { contentText } from '../../packages/kernel/src/tool-content.ts'
import { StateSeal } from '../../packages/mcp/src/server/sealed-state.ts'
import { createDiskCache, llmConfig } from '../../packages/model/src/index.ts'
import { beam, MemorySearchJournal, search } from '../../packages/reasoning/src/index.ts'
import { expectReplay, openRecords, type RepeatedProgram, replay } from '../../packages/records/src/index.ts'
import { ChatSession } from '../../packages/session/src/index.ts'
import { functionModel, scriptedProvider } from '../../packages/testing/src/index.ts'
import { CHECKPOINT } from './checkpoint-format.ts'
import { damagedSqlite } from './damaged-rows.ts'
import { buildDatabase, dumpDatabase, type Files, type GoldenFormat } from './golden-files.ts'
import { goOnWithDamage, goOnWithHost, runHost } from './host-runs.ts'
import { groupAgents, noDeeds, searchParts, shopAgents, shopChat, shortHistory, type Deeds } from './programs.ts'

const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** Runs with a folder that is deleted afterwards. */
async function inFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'golden-'))
  try {
    return await use(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const changed = (files: Files, name: string, from: string, to: string): Files => ({
  ...files,
  [name]: files[name]!.replace(from, to),
})

/** Decides on what waits, and goes on to the end. */
async function goOnWithChat(journal: ChatJournal): Promise<{ asked: number; value: unknown }> {
  const deeds = noDeeds()
  for (;;) {
    for (const { id } of journal.pending) await journal.decide(id, { allow: true, by: 'ann' })
    const { chatHistory, summary, cost, terminationReason } = await shopChat(deeds, journal)
    if (terminationReason === 'suspended') continue
    const { runId } = journal
    const value = plain({ runId, chatHistory, summary, cost, terminationReason, paid: deeds.paid })
    return { asked: deeds.asked.count, value }
  }
}

/** A chat that waits for an approval: its saved state, and its journal as lines. */
const CHAT: GoldenFormat = {
  version: 3,
  async write() {
    let lines = ''
    const journal = new ChatJournal({ onEntry: (entry) => void (lines += `\n${JSON.stringify(entry)}`) })
    await shopChat(noDeeds(), journal)
    return { 'state.json': JSON.stringify(journal.saveState()), 'lines.jsonl': lines }
  },
  async read(files) {
    const state = await goOnWithChat(ChatJournal.load(JSON.parse(files['state.json']!)))
    const lines = await goOnWithChat(ChatJournal.parse(files['lines.jsonl']!))
    return { asked: state.asked + lines.asked, state: state.value, lines: lines.value }
  },
  newer: (files) => changed(files, 'state.json', '"version":3', '"version":4'),
}

/** Two agents after two chats, with a history that was cut, and the manager of a group. */
const AGENT: GoldenFormat = {
  version: 2,
  async write() {
    const [customer, clerk] = shopAgents(noDeeds(), shortHistory())
    for (const message of ['It came broken.', 'And this one, too.']) {
      const options = { message, clearHistory: false, silent: true, journal: new ChatJournal() }
      await customer.initiateChat(clerk, options)
      for (const { id } of options.journal.pending) await options.journal.decide(id, { allow: true })
      await customer.initiateChat(clerk, options)
    }
    const { first, manager } = groupAgents()
    await first.initiateChat(manager, { message: 'Go.', silent: true })
    const states = { customer, clerk, first, manager }
    return Object.fromEntries(
      Object.entries(states).map(([name, agent]) => [`${name}.json`, JSON.stringify(agent.saveState())]),
    )
  },
  async read(files) {
    const deeds = noDeeds()
    const [customer, clerk] = shopAgents(deeds, shortHistory())
    const { first, members, manager } = groupAgents()
    const agents = { customer, clerk, first, manager }
    for (const [name, agent] of Object.entries(agents)) {
      agent.loadState(JSON.parse(files[`${name}.json`]!), { agents: [customer, clerk, manager, ...members] })
    }
    const journal = new ChatJournal()
    const options = { message: 'A third.', clearHistory: false, silent: true, journal, runId: 'golden' }
    await customer.initiateChat(clerk, options)
    for (const { id } of journal.pending) await journal.decide(id, { allow: true })
    const { chatHistory, cost } = await customer.initiateChat(clerk, options)
    const group = await first.initiateChat(manager, { message: 'Go on.', clearHistory: false, silent: true })
    return plain({
      ...{ chatHistory, cost, paid: deeds.paid, group: group.chatHistory },
      kept: [customer, clerk].map((agent) => {
        const { systemMessage, contextVariables, usage, conversations } = agent.saveState()
        return { systemMessage, contextVariables, usage, messages: conversations.map(({ messages }) => messages) }
      }),
    })
  },
  newer: (files) => changed(files, 'clerk.json', '"version":2', '"version":3'),
}

async function readAll(events: EventStream<ChatResult>): Promise<void> {
  for await (const _ of events);
}

const openSession = (folder: string, deeds: Deeds): ChatSession =>
  new ChatSession({
    folder,
    agents() {
      const [user, assistant] = shopAgents(deeds)
      return { user, assistant }
    },
  })

/** A session with a turn that has ended, and one that waits for an approval. */
const SESSION: GoldenFormat = {
  version: 1,
  write: () =>
    inFolder(async (folder) => {
      const deeds = noDeeds()
      using session = openSession(folder, deeds)
      await readAll(session.say('It came broken.'))
      for (const { id } of session.pending) await session.decide(id, { allow: true })
      await readAll(session.resume())
      await readAll(session.say('And this one, too.'))
      const names = readdirSync(folder).filter((name) => name !== 'lock')
      return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
    }),
  read: (files) =>
    inFolder(async (folder) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      const deeds = noDeeds()
      using session = openSession(folder, deeds)
      while (session.unfinished !== null) {
        for (const { id } of session.pending) await session.decide(id, { allow: true })
        await readAll(session.resume())
      }
      return plain({ asked: deeds.asked.count, messages: session.messages, usage: session.usage })
    }),
  newer: (files) => changed(files, 'chat.json', '"version":1', '"version":2'),
}

const QUESTION = 'Which way?'

/** A search that stopped in the middle: its journal as a whole, and as lines. */
const SEARCH: GoldenFormat = {
  version: 3,
  async write() {
    let lines = ''
    const append = (line: string): void => void (lines += line)
    const journal = new MemorySearchJournal({ question: QUESTION, append })
    await search(QUESTION, {
      ...searchParts({ count: 0 }),
      method: beam({ maxDepth: 3 }),
      budget: { calls: 6 },
      journal,
    })
    return { 'journal.json': JSON.stringify(journal), 'lines.jsonl': lines }
  },
  async read(files) {
    const asked = { count: 0 }
    const goOn = async (saved: unknown): Promise<unknown> => {
      const journal = new MemorySearchJournal({ question: QUESTION, saved })
      return plain(await search(QUESTION, { ...searchParts(asked), method: beam({ maxDepth: 3 }), journal }))
    }
    const whole = await goOn(JSON.parse(files['journal.json']!))
    const lines = await goOn(files['lines.jsonl'])
    return { asked: asked.count, whole, lines }
  },
  newer: (files) => changed(files, 'journal.json', '"version":3', '"version":4'),
}

/** Answers of a model in a cache on disk, under the keys of its requests. */
const MODEL_CACHE: GoldenFormat = {
  version: 1,
  isText: false,
  write: () =>
    inFolder(async (dir) => {
      await askCached(dir)
      return { 'answers.sql': dumpDatabase(join(dir, 'answers.db')) }
    }),
  read: (files) =>
    inFolder(async (dir) => {
      buildDatabase(join(dir, 'answers.db'), files['answers.sql']!)
      return await askCached(dir)
    }),
  newer: (files) => ({ 'answers.sql': `${files['answers.sql']}PRAGMA user_version = 2;\n` }),
}

/** Asks two questions with a cache; an answer says whether it was cached. */
async function askCached(dir: string): Promise<Readonly<Record<string, unknown>>> {
  const cache = createDiskCache({ dir, now: () => 1_700_000_000_000 })
  const provider = scriptedProvider([
    { content: 'Paris. 😀', usage: [7, 2] },
    { content: 'Rome.', usage: [7, 1] },
  ])
  const model = llmConfig({ configList: [{ model: 'm', apiType: 'scripted' }], providers: [provider] }).createModel()
  const answers: unknown[] = []
  for (const content of ['Capital of France?', 'And of Italy?']) {
    const { choices, cached, cost } = await model.create({ messages: [{ role: 'user', content }], cache })
    answers.push({ content: choices[0]?.message.content, cached, cost })
  }
  await cache.close?.()
  return { answers, asked: provider.calls.length }
}

const MCP_KEY = 'golden '.repeat(5)
const MCP_CALL = 'the call'

/** The state of a task of an MCP server, which its client keeps. */
const MCP_TASK: GoldenFormat = {
  version: 1,
  async write() {
    const seal = new StateSeal({ key: MCP_KEY, ttlMs: 1e15, now: () => 0 })
    const journal = new ChatJournal()
    await shopChat(noDeeds(), journal)
    const { entries } = plain(journal.saveState())
    return { 'state.txt': (await seal.seal({ entries, pending: journal.pending.map(({ id }) => id) }, MCP_CALL))! }
  },
  async read(files) {
    const seal = new StateSeal({ key: MCP_KEY, ttlMs: 1e15, now: () => 1 })
    const opened = await seal.open(files['state.txt']!, MCP_CALL)
    // A server asks anew then: the client has to send the call without a state.
    if (!opened)
      throw Object.assign(new Error('the state that the client has sent back cannot be opened'), {
        code: 'invalid-state',
      })
    const { entries, pending } = opened
    const { asked, value } = await goOnWithChat(ChatJournal.load({ version: 3, kind: 'chat', entries }))
    return { asked, pending, chat: value }
  },
}

/** Runs with a file of chats that has these rows. */
const inChats = <T>(files: Files, use: (at: HostBackend) => Promise<T>): Promise<T> =>
  inFolder(async (folder) => {
    const path = join(folder, 'chats.db')
    buildDatabase(path, files['chats.sql']!)
    return await use(sqlite(path))
  })

/** A host on SQLite: a chat that waits for an approval, one that waits for a message, one that has ended; a budget and a limit. */
const HOST_SQLITE: GoldenFormat = {
  version: 7,
  isText: false,
  write: () =>
    inFolder(async (folder) => {
      const path = join(folder, 'chats.db')
      await runHost(sqlite(path))
      return { 'chats.sql': dumpDatabase(path) }
    }),
  read: (files) => inChats(files, goOnWithHost),
  rows: { damaged: damagedSqlite, goOn: (files) => inChats(files, goOnWithDamage) },
  newer: (files) => ({ 'chats.sql': `${files['chats.sql']}PRAGMA user_version = 8;\n` }),
}

const RECORD_FILES = { records: 'runs.sql', fixture: 'tea.run' }

/** Sells tea: the program of the recorded run. */
const sellTea: RepeatedProgram = async (options) => {
  const call = { id: 'c', type: 'function' as const, function: { name: 'price', arguments: '{"item":"tea"}' } }
  const model = functionModel(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'It costs 3 €.' : { tool_calls: [call] },
  )
  const price = tool({
    name: 'price',
    description: 'The price of an item.',
    parameters: { type: 'object', properties: { item: { type: 'string' } } },
    execute: () => '3',
  })
  const clerk = new AssistantAgent({ name: 'clerk', systemMessage: 'You sell tea.', llmConfig: model, silent: true })
  await clerk.run('How much is tea?', { tools: price, ...options })
}

/** Tells what stands on a label: the program of a run with long texts, which stand once in its record. */
const readLabel: RepeatedProgram = async (options) => {
  const text = 'Tea from the hills. '.repeat(40)
  const call = { id: 'c', type: 'function' as const, function: { name: 'label', arguments: JSON.stringify({ text }) } }
  const model = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? text : { tool_calls: [call] }))
  const label = tool({
    name: 'label',
    description: 'Reads a label.',
    parameters: { type: 'object', properties: { text: { type: 'string' } } },
    // A text that begins as a mark does.
    execute: () => ['\u00010', text, `${text}!`],
  })
  const clerk = new AssistantAgent({ name: 'clerk', llmConfig: model, silent: true })
  await clerk.run('What does the label say?', { tools: label, ...options })
}

/** Records of a run in SQLite, and the fixture of that run. */
const RECORDS: GoldenFormat = {
  version: 2,
  isText: false,
  write: () =>
    inFolder(async (folder) => {
      const path = join(folder, 'runs.db')
      const fixture = await recordTea(path)
      return { [RECORD_FILES.records]: dumpDatabase(path), [RECORD_FILES.fixture]: fixture }
    }),
  read: (files) =>
    inFolder(async (folder) => {
      const path = join(folder, 'runs.db')
      buildDatabase(path, files[RECORD_FILES.records]!)
      const fixture = join(folder, RECORD_FILES.fixture)
      writeFileSync(fixture, files[RECORD_FILES.fixture]!)
      const run = await repeatTea(path)
      await expectReplay(fixture, sellTea)
      return run
    }),
  newer: (files) => ({ ...files, [RECORD_FILES.records]: `${files[RECORD_FILES.records]}PRAGMA user_version = 3;\n` }),
}

const LINES_FILE = 'runs.jsonl'

/** Records of a run in JSON lines. */
const RECORD_LINES: GoldenFormat = {
  version: 2,
  isText: false,
  write: () =>
    inFolder(async (folder) => {
      const path = join(folder, LINES_FILE)
      await recordTea(path)
      return { [LINES_FILE]: readFileSync(path, 'utf8') }
    }),
  read: (files) =>
    inFolder(async (folder) => {
      const path = join(folder, LINES_FILE)
      writeFileSync(path, files[LINES_FILE]!)
      return await repeatTea(path)
    }),
  newer: (files) => ({ ...files, [LINES_FILE]: files[LINES_FILE]!.replace(/"x-records":\d/u, '"x-records":3') }),
}

/** Records the program, and gives its run a label; returns the fixture of the run. */
async function recordTea(path: string): Promise<string> {
  const records = openRecords(path)
  await sellTea({ tracer: records.tagged({ app: 'shop' }) } as never, null as never)
  await readLabel({ tracer: records.tagged({ app: 'labels' }) } as never, null as never)
  const [info] = await records.list({ tags: { app: 'shop' } })
  await records.label(info!.runId, { name: 'good', value: true })
  const fixture = await records.export(info!.runId)
  records.close()
  return fixture
}

/** Reads the run, and repeats it. */
async function repeatTea(path: string): Promise<Readonly<Record<string, unknown>>> {
  const records = openRecords(path)
  const [info] = await records.list({ tags: { app: 'shop' } })
  const run = (await records.read(info!.runId))!
  // Records of version 1 have no such run.
  const [long] = await records.list({ tags: { app: 'labels' } })
  const labels = long && (await records.read(long.runId))!
  records.close()
  return plain({
    ...{ info, calls: run.calls, events: run.events.length, ...(await replay(run, sellTea)) },
    ...(labels && { labels, repeated: await replay(labels, readLabel) }),
  })
}

const ANSWERS_FILE = 'answers.jsonl'

/** Answers of an evaluation: one that is there, and the first of two calls inside of one that was killed. */
const EVAL_ANSWERS: GoldenFormat = {
  version: 1,
  isText: false,
  write: () =>
    inFolder(async (folder) => {
      const path = join(folder, ANSWERS_FILE)
      await evaluateTea(path, 3)
      return { [ANSWERS_FILE]: readFileSync(path, 'utf8') }
    }),
  read: (files) =>
    inFolder(async (folder) => {
      const path = join(folder, ANSWERS_FILE)
      writeFileSync(path, files[ANSWERS_FILE]!)
      return await evaluateTea(path, Infinity)
    }),
  newer: (files) => changed(files, ANSWERS_FILE, '{"x-eval":1}', '{"x-eval":2}'),
}

/** Evaluates a program that asks a model twice a task, in a budget of calls. */
async function evaluateTea(file: string, calls: number): Promise<Readonly<Record<string, unknown>>> {
  const provider = scriptedProvider(({ messages }) => `It is ${contentText(messages.at(-1)!.content).length}.`)
  const config = {
    providers: [provider],
    apiType: 'scripted',
    model: 'scripted',
    cacheSeed: null,
    price: [1, 2],
  } as const
  const model = llmConfig(config).createModel()
  const { rows, spent, isComplete } = await evaluate({
    tasks: ['tea', 'cake'].map((input) => ({ id: input, input, expected: 'It is 5.' })),
    // The text of the program is part of the key, and runners change it: that of a bound function is always the same.
    contestants: [{ name: 'asks twice', answer: asksTwice.bind(null) }],
    ...{ file, budget: { calls }, concurrency: 1, now: () => 0 },
  })
  return plain({ asked: provider.calls.length, rows, spent, isComplete })

  async function asksTwice(...[task, { run }]: Parameters<Contestant['answer']>): Promise<string> {
    const ask = async (content: string): Promise<string> => {
      const response = await model.create({ messages: [{ role: 'user', content }] }, { run })
      return contentText(response.choices[0]!.message.content)
    }
    return await ask((await ask(task.input)).slice(0, 5))
  }
}

/** Every format that is stored in files, by its name. */
export const FORMATS: Readonly<Record<string, GoldenFormat>> = {
  agent: AGENT,
  chat: CHAT,
  checkpoint: CHECKPOINT,
  'eval-answers': EVAL_ANSWERS,
  'host-sqlite': HOST_SQLITE,
  'mcp-task': MCP_TASK,
  'model-cache': MODEL_CACHE,
  'record-lines': RECORD_LINES,
  records: RECORDS,
  search: SEARCH,
  session: SESSION,
}
