/**
 * The price of records: a chat over HTTP against a server in another thread, with records and without, by turns, each of them
 * first in every other round. Counted is the processor time of the main thread, its own and that of the kernel in its name,
 * which includes waking the server that sleeps until a request comes; what the thread of the records does is not counted.
 * Means of the middle half of the rounds: the thread shares its core with whatever else runs.
 */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { ConversableAgent } from '@x/agent'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { openRecords } from '@x/records'

const MAX_TURN_US = 52
const MAX_RATIO = 1.22
const MAX_TURN_BYTES = 450
const TURNS = 200
const CHATS = 4
const ROUNDS = 12
const WARM_ROUNDS = 2
/** Longer than lines wait: what a chat has told is handed on before the next one is measured. */
const REST_MS = 150

const SERVER = `
const answer = JSON.stringify({ id: 'a', object: 'chat.completion', created: 1, model: 'm', usage: { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'An answer of some words, as a model gives them.' } }] })
const server = require('node:http').createServer((request, response) => {
  request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer))
})
server.listen(0, '127.0.0.1', () => require('node:worker_threads').parentPort.postMessage(server.address().port))
`
const server = new Worker(SERVER, { eval: true })
const [port] = (await once(server, 'message')) as [number]
const model = llmConfig({
  ...{ model: 'm', providers: [openai], apiKey: 'none', baseUrl: `http://127.0.0.1:${port}/v1` },
  ...{ cacheSeed: null, price: [1, 2] },
})
const dir = mkdtempSync(join(tmpdir(), 'records-bench-'))
const file = join(dir, 'runs.db')
const records = openRecords(file)

/** Processor time of the main thread a turn, in microseconds, and the part of it in the kernel. */
interface Spent {
  readonly time: number
  readonly kernel: number
}

/** Holds chats of two agents with models, and returns what a turn took. */
async function timeOfTurn(options: object): Promise<Spent> {
  const agent = (name: string): ConversableAgent =>
    new ConversableAgent({ name, humanInputMode: 'NEVER', silent: true, llmConfig: model })
  const began = process.threadCpuUsage()
  for (let chat = 0; chat < CHATS; chat++) {
    await agent('one').initiateChat(agent('other'), {
      ...{ message: 'Hello', maxTurns: TURNS / 2, summaryMethod: null },
      ...options,
    })
  }
  await new Promise((resolve) => setTimeout(resolve, REST_MS))
  const { user, system } = process.threadCpuUsage(began)
  const turns = CHATS * TURNS
  return { time: (user + system) / turns, kernel: system / turns }
}

/** Returns the mean of the middle half. */
function middle(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const half = sorted.slice(sorted.length >> 2, sorted.length - (sorted.length >> 2))
  return half.reduce((sum, value) => sum + value, 0) / half.length
}

const rounds: { readonly plain: Spent; readonly recorded: Spent }[] = []
for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
  const spent: Spent[] = []
  const order = round % 2 === 0 ? [0, 1] : [1, 0]
  for (const which of order) spent[which] = await timeOfTurn(which === 1 ? { tracer: records } : {})
  if (round >= 0) rounds.push({ plain: spent[0]!, recorded: spent[1]! })
}
const runs = await records.list({ limit: 1000 })
records.close()
const bytes = runs.reduce((sum, run) => sum + run.bytes, 0) / runs.length / TURNS
await server.terminate()
rmSync(dir, { recursive: true })

const more = middle(rounds.map(({ plain, recorded }) => recorded.time - plain.time))
const ratio = middle(rounds.map(({ plain, recorded }) => recorded.time / plain.time))
const [plain, recorded] = [
  middle(rounds.map((each) => each.plain.time)),
  middle(rounds.map((each) => each.recorded.time)),
]
const kernel = middle(rounds.map((each) => each.recorded.kernel - each.plain.kernel))
console.log(`a turn over HTTP, main thread:   ${plain.toFixed(0)} µs, recorded ${recorded.toFixed(0)} µs`)
console.log(
  `more by records:                 ${more.toFixed(1)} µs (limit ${MAX_TURN_US}), × ${ratio.toFixed(3)} (limit ${MAX_RATIO}), of it in the kernel ${kernel.toFixed(1)} µs`,
)
console.log(`bytes of the file a turn:        ${bytes.toFixed(0)} (limit ${MAX_TURN_BYTES})`)
if (more > MAX_TURN_US || ratio > MAX_RATIO || bytes > MAX_TURN_BYTES) process.exitCode = 1
