/**
 * Measures a chat of two agents with models of one `llmConfig` and a provider in this process: the heap of an idle chat, and
 * the processor time of a turn.
 *
 *   pnpm --filter @x/load bench:costs
 */
import { ConversableAgent } from '@x/agent'
import type { CacheStore, ChatResult, Io, ModelClient, Provider } from '@x/interfaces'
import { createMemoryCache, llmConfig } from '@x/model'
import { loadavg } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const CHAT_COUNT = 1000
let answers = 0

/** Answers with another text each time: one flat string of 160 characters. */
const client: ModelClient = {
  create: ({ model = '' }) => ({
    id: 'a',
    model,
    created: 1,
    choices: [{ index: 0, message: { role: 'assistant', content: textOf(answers++) }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  }),
  messageRetrieval: ({ choices }) => choices.map(({ message }) => message),
  getUsage: ({ model }) => ({ model, promptTokens: 10, completionTokens: 5, totalTokens: 15, cost: 0 }),
  cost: () => 0,
}
const provider: Provider = { apiTypes: ['openai'], specVersion: 1, createClient: () => client }
let eventCount = 0
const io: Io = { send: () => void eventCount++, input: () => '' }
/** Takes no events. */
const silentIo: Io = { send: () => {}, input: () => '', takes: new Set() }
const configOf = (cache?: CacheStore): ReturnType<typeof llmConfig> =>
  llmConfig({ providers: [provider], cacheSeed: null, cache, configList: [{ model: 'm' }] })

type Chat = [ConversableAgent, ConversableAgent, ChatResult]

async function chat(llm: ReturnType<typeof llmConfig>, turns: number, to: Io = io): Promise<Chat> {
  const [one, other] = ['one', 'other'].map(
    (name) =>
      new ConversableAgent({ name, humanInputMode: 'NEVER', maxConsecutiveAutoReply: 1e9, io: to, llmConfig: llm }),
  ) as [ConversableAgent, ConversableAgent]
  return [one, other, await one.initiateChat(other, { message: textOf(0), maxTurns: turns })]
}

function textOf(index: number): string {
  return Buffer.from(`${index} `.padEnd(160, 'x')).toString('latin1')
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Returns the bytes of the heap after garbage collection. */
async function heapBytes(): Promise<number> {
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise(setImmediate)
  }
  return process.memoryUsage().heapUsed
}

/** Returns the KB of heap per value, for many values; the least of some rounds, because the first ones also compile code. */
async function weight(make: () => unknown): Promise<number> {
  let least = Infinity
  for (let round = 0; round < 4; round++) {
    const kept: unknown[] = Array.from({ length: CHAT_COUNT })
    const before = await heapBytes()
    for (let index = 0; index < CHAT_COUNT; index++) kept[index] = await make()
    const after = await heapBytes()
    least = Math.min(least, (after - before) / kept.length / 1024)
  }
  return least
}

/** Returns the microseconds of processor time per turn of chats of 400 turns; the least of some rounds. */
async function turnOf(to: Io, cache?: () => CacheStore): Promise<number> {
  let least = Infinity
  for (let round = 0; round < 25; round++) {
    const llm = configOf(cache?.())
    const before = process.cpuUsage()
    for (let index = 0; index < 10; index++) await chat(llm, 400, to)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 4000)
  }
  return least
}

function report(name: string, figure: number, unit: string, limit?: number): void {
  const goal = limit === undefined ? '' : `  limit ${limit}  ${figure <= limit ? 'kept' : 'BROKEN'}`
  console.log(`${name.padEnd(52)} ${figure.toFixed(2).padStart(6)} ${unit}${goal}`)
}

const plain = configOf()
console.log(`load of the machine: ${loadavg()[0]!.toFixed(1)}`)
report('a model that was not called', await weight(() => plain.createModel()), 'KB')
const called = async (calls: number): Promise<unknown> => {
  const model = plain.createModel()
  for (let call = 0; call < calls; call++) await model.create({ messages: [{ role: 'user', content: 'Hello.' }] })
  return model
}
report('a model after 1 call', await weight(async () => await called(1)), 'KB')
report('a model after 10 calls', await weight(async () => await called(10)), 'KB')
report('an idle chat of 20 messages of 160 characters', await weight(async () => await chat(plain, 10)), 'KB', 8)
eventCount = 0
await chat(plain, 100)
const events = Math.round(eventCount / 100)
report('a turn of 400, no cache, no events', await turnOf(silentIo), 'µs', 20)
// Each event with a listener may cost a microsecond more.
report(`a turn of 400, no cache, ${events} events`, await turnOf(io), 'µs', 20 + events)
report('a turn of 400, cache in memory', await turnOf(io, createMemoryCache), 'µs')
