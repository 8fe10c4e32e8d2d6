/** Runs one of the programs whose stored texts `docs/what-may-cost-you.md` tells, in the folder where it is started. */
import { AssistantAgent, ChatJournal, createAgent, UserProxyAgent } from '@x/agent'
import { createHost, defineChat, sqlite, type Host } from '@x/host'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { ChatSession, createSessionAgents } from '@x/session'
import { startFakeOpenAI } from '@x/testing'
import { appendFileSync } from 'node:fs'

/** Words of no other text. */
export const QUESTION = 'question-of-the-person'
export const ANSWER = 'answer-of-the-model'

const io = { send: () => {}, input: () => '' }

type Models = (cacheSeed?: null) => ReturnType<typeof llmConfig>

/** Programs by their row in the document; the second of a pair has the setting of the row. */
const PROGRAMS: Readonly<Record<string, (models: Models) => Promise<unknown>>> = {
  'agent.run(…)': async (models) => await createAgent({ name: 'a', model: models(null) }).run(QUESTION),
  'agent.run(…, { journal })': async (models) =>
    await createAgent({ name: 'a', model: models(null) }).run(QUESTION, { journal: new ChatJournal() }),
  'createAgent({ logger })': async (models) => await logged(models),
  'llmConfig({ configList })': async (models) => await ask(models()),
  'llmConfig({ configList }), set': async (models) => await ask(models(null)),
  'user.initiateChat(…)': async (models) => await chat(models, false),
  'user.initiateChat(…), set': async (models) => await chat(models, true),
  ChatSession: async (models) => {
    const agents = (): ReturnType<typeof createSessionAgents> => createSessionAgents({ llmConfig: models(null), io })
    using session = new ChatSession({ folder: 'chat', agents })
    await session.say(QUESTION).result
  },
  'createHost(…)': async (models) => await host(models),
  'createHost(…), set': async (models) => await host(models, async (service) => void (await service.delete('one'))),
}

if (import.meta.main) {
  const program = PROGRAMS[process.argv[2] ?? '']
  if (!program) throw new Error(`there is no program \`${process.argv[2]}\``)
  const server = await startFakeOpenAI({ replies: () => ANSWER })
  const entry = { providers: [openai], model: 'm', baseUrl: server.url, apiKey: 'k', price: [1, 1] } as const
  try {
    await program((cacheSeed) => llmConfig({ ...entry, ...(cacheSeed === null && { cacheSeed }) }))
  } finally {
    await server.close()
  }
}

async function logged(models: Models): Promise<void> {
  const logger = { log: (record: object) => appendFileSync('records.jsonl', `${JSON.stringify(record)}\n`) }
  // Events without texts: those of the records stay.
  await createAgent({ name: 'a', model: models(null), logger }).run(QUESTION, { events: { content: false } })
}

async function ask(config: ReturnType<typeof llmConfig>): Promise<void> {
  await config.createModel().create({ messages: [{ role: 'user', content: QUESTION }] })
}

async function chat(models: Models, silent: boolean): Promise<void> {
  const agent = new AssistantAgent({ name: 'a', llmConfig: models(null) })
  const user = new UserProxyAgent({ name: 'u', humanInputMode: 'NEVER' })
  await user.initiateChat(agent, { message: QUESTION, maxTurns: 1, silent })
}

async function host(models: Models, after = async (_service: Host): Promise<void> => {}): Promise<void> {
  const program = defineChat({
    name: 'answers',
    version: '1',
    async run({ run }) {
      return (await createAgent({ name: 'a', model: models(null) }).run(QUESTION, { run })).text
    },
  })
  const service = createHost({ chats: [program], at: sqlite('chats.db') })
  const stop = new AbortController()
  const work = service.work({ signal: stop.signal })
  await service.submit(program, {}, { id: 'one' })
  await service.result('one')
  await after(service)
  stop.abort()
  await work
  await service.close()
}
