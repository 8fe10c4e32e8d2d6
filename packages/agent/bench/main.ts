/**
 * What a turn costs: two agents without models, in each face, at 1,000 and 10,000 turns, beside a hand-written loop that
 * keeps the same two histories; and heap of idle chats. A turn is a message and its reply.
 */
import type { Io } from '@x/interfaces'
import { ConversableAgent } from '@x/agent'

const io: Io = { send: () => {}, input: () => '' }
const agent = (name: string): ConversableAgent =>
  new ConversableAgent({
    name,
    humanInputMode: 'NEVER',
    defaultAutoReply: `from ${name}`,
    maxConsecutiveAutoReply: 1e9,
    io,
  })

const faces: Record<string, (turns: number) => Promise<unknown>> = {
  sync: async (maxTurns) => agent('a').initiateChatSync(agent('b'), { message: 'hi', maxTurns }),
  async: async (maxTurns) => await agent('a').initiateChat(agent('b'), { message: 'hi', maxTurns }),
  stream: async (maxTurns) => {
    const stream = agent('a').initiateChatStream(agent('b'), { message: 'hi', maxTurns })
    for (;;) if ((await stream.next()).done) return
  },
}

/** The least a chat can be: both sides keep a copy of every message. */
function byHand(turns: number): number {
  const [own, theirs]: object[][] = [[], []]
  for (let turn = 0; turn < turns; turn++) {
    for (const [name, other] of [
      ['a', 'b'],
      ['b', 'a'],
    ] as const) {
      own!.push(Object.freeze({ content: `from ${name}`, role: 'assistant', name }))
      theirs!.push(Object.freeze({ content: `from ${name}`, role: 'user', name: other }))
    }
  }
  return own!.length
}

async function time(run: () => unknown): Promise<number> {
  const start = performance.now()
  await run()
  return performance.now() - start
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!

async function medianOf(run: () => unknown, rounds = 7): Promise<number> {
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await time(run))
  return median(times)
}

const cell = (value: string): string => value.padStart(12)
console.log('face'.padEnd(8), cell('1,000 turns'), cell('10,000'), cell('slope'), cell('by hand ×'))
for (const [face, run] of Object.entries(faces)) {
  await run(2_000)
  const [short, long] = [await medianOf(() => run(1_000)), await medianOf(() => run(10_000))]
  const hand = await medianOf(() => byHand(10_000))
  const perTurn = (ms: number, turns: number): string => `${((ms * 1000) / turns).toFixed(2)} µs`
  const slope = Math.log10(long / short)
  console.log(
    face.padEnd(8),
    cell(perTurn(short, 1_000)),
    cell(perTurn(long, 10_000)),
    cell(slope.toFixed(2)),
    cell((long / hand).toFixed(1)),
  )
}

const gc = (globalThis as { gc?: () => void }).gc
if (gc) {
  gc()
  const before = process.memoryUsage().heapUsed
  const kept = []
  for (let index = 0; index < 2_000; index++) {
    const [a, b] = [agent(`a${index}`), agent(`b${index}`)]
    kept.push(a, b, a.initiateChatSync(b, { message: 'hi', maxTurns: 10 }))
  }
  gc()
  const each = (process.memoryUsage().heapUsed - before) / 2_000
  console.log(`heap of an idle chat of 20 messages: ${(each / 1024).toFixed(1)} KB (${kept.length} values kept)`)
} else console.log('heap: run with --expose-gc')
