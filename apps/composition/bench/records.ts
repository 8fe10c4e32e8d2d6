/**
 * The price of records: a chat over HTTP against a server in another thread, with records and without, in turns. Processor
 * time of the main thread, which is what a run waits for; medians of the rounds.
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

const MAX_TURN_US = 75
const MAX_RATIO = 1.28
const MAX_TURN_BYTES = 2500
const TURNS = 200
const ROUNDS = 21
const WARM_ROUNDS = 4

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

/** Holds a chat of two agents with models, and returns its processor time a turn in microseconds. */
async function timeOfTurn(options: object): Promise<number> {
  const agent = (name: string): ConversableAgent =>
    new ConversableAgent({ name, humanInputMode: 'NEVER', silent: true, llmConfig: model })
  const began = process.threadCpuUsage()
  await agent('one').initiateChat(agent('other'), {
    ...{ message: 'Hello', maxTurns: TURNS / 2, summaryMethod: null },
    ...options,
  })
  await new Promise((resolve) => setImmediate(resolve))
  const { user, system } = process.threadCpuUsage(began)
  return (user + system) / TURNS
}

const median = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!
const plain: number[] = []
const recorded: number[] = []
for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
  const [without, withRecords] = [await timeOfTurn({}), await timeOfTurn({ tracer: records })]
  if (round < 0) continue
  plain.push(without)
  recorded.push(withRecords)
}
const runs = await records.list({ limit: 1000 })
records.close()
const bytes = runs.reduce((sum, run) => sum + run.bytes, 0) / runs.length / TURNS
await server.terminate()
rmSync(dir, { recursive: true })

const more = median(recorded.map((time, round) => time - plain[round]!))
const ratio = median(recorded.map((time, round) => time / plain[round]!))
console.log(
  `a turn over HTTP, main thread:   ${median(plain).toFixed(0)} µs, recorded ${median(recorded).toFixed(0)} µs`,
)
console.log(
  `more by records:                 ${more.toFixed(1)} µs (limit ${MAX_TURN_US}), × ${ratio.toFixed(3)} (limit ${MAX_RATIO})`,
)
console.log(`bytes of the file a turn:        ${bytes.toFixed(0)} (limit ${MAX_TURN_BYTES})`)
if (more > MAX_TURN_US || ratio > MAX_RATIO || bytes > MAX_TURN_BYTES) process.exitCode = 1
