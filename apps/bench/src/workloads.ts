/**
 * The workloads, as they run inside the process of one contestant. `run` takes one sample and gives numbers by metric; the
 * program that asks for samples makes rounds and statistics of them.
 */
import { setTimeout as delay } from 'node:timers/promises'
import {
  ANSWER_CHARACTERS,
  type Ask,
  type Contestant,
  type HostedWork,
  type MakeChat,
  SYSTEM,
  USER,
} from './contestant.ts'
import type { Sample } from './statistics.ts'

/** Parameters of a workload; which of them a workload has, its own say. */
export interface Params {
  /** Repetitions in a sample. */
  readonly n: number
  /** Calls or streams in flight. */
  readonly width: number
  readonly model: string
  readonly models: readonly string[]
  /** Chunks of a stream. */
  readonly chunks: number
  /** Milliseconds between chunks. */
  readonly pace: number
  /** Calls of the tool in a loop. */
  readonly k: number
  /** Turns of the chats of a sample. */
  readonly turns: readonly number[]
  /** Calls of a search. */
  readonly calls: number
  /** Turns of a chat before the measured ones. */
  readonly wake: number
  /** Chats that are kept. */
  readonly chats: number
  /** Messages of a kept chat. */
  readonly messages: number
  /** The variant of the contestant, such as `http`; an empty string where there is one only. */
  readonly variant: string
}

/** Functions that a contestant keeps from sample to sample of a workload. */
export interface Kept {
  ask?: Ask
  calls?: number
}

/** One thing to measure. */
export interface Workload {
  /** True if every sample takes a process of its own. */
  readonly fresh?: boolean
  readonly params: Partial<Params>
  /** Parameters of a quick run, over the others. */
  readonly quick: Partial<Params>
  /** The variants in which a contestant can do it; none if it cannot. */
  readonly variants: (contestant: Contestant) => readonly string[]
  readonly run: (contestant: Contestant, params: Params, kept: Kept) => Promise<Sample>
}

/** Names of the workloads, in the order of the report. */
export type WorkloadName =
  | 'call'
  | 'call64'
  | 'stream'
  | 'paced'
  | 'fallback'
  | 'cache'
  | 'tools'
  | 'chat'
  | 'rss'
  | 'idle'
  | 'blocking'
  | 'search'
  | 'hosted'
  | 'talk'

/** Characters of a tool loop's last answer when it is streamed: 20 chunks of six. */
const STREAMED_CHARACTERS = 120

/** All workloads that run in a contestant's process. */
export const workloads: Readonly<Record<WorkloadName, Workload>> = {
  /** One call after the other; the server answers at once. */
  call: {
    params: { n: 400, model: 'mock' },
    quick: { n: 150 },
    variants: ({ call }) => once(call),
    async run({ call }, { n, model }) {
      const question = { model, system: SYSTEM, user: USER }
      await repeat(Math.ceil(n / 20), () => call!(question))
      return each(n, async () => expectText(await call!(question)))
    },
  },

  /** Calls in flight. */
  call64: {
    params: { n: 1600, width: 64, model: 'mock' },
    quick: { n: 640 },
    variants: ({ call }) => once(call),
    run: ({ call }, params) => callsInFlight(call!, params),
  },

  /** Chunks as fast as the server can write them, one write a chunk. */
  stream: {
    params: { n: 6, chunks: 500 },
    quick: { n: 3 },
    variants: ({ stream }) => once(stream),
    run: streamFast,
  },

  /** Several streams at once with time between the chunks: every chunk arrives alone, as with a real model. */
  paced: {
    params: { width: 8, chunks: 250, pace: 2 },
    quick: { chunks: 120 },
    variants: ({ stream }) => once(stream),
    run: streamPaced,
  },

  /** The first configuration answers 500, the second succeeds; retries are off. */
  fallback: {
    params: { n: 200, models: ['mock-fail500', 'mock'] },
    quick: { n: 80 },
    variants: ({ fallback }) => once(fallback),
    async run({ fallback }, { n, models }, kept) {
      const ask = (kept.ask ??= fallback!(models))
      const question = { model: '', system: SYSTEM, user: USER }
      await repeat(Math.ceil(n / 20), () => ask(question))
      return each(n, async () => expectText(await ask(question)))
    },
  },

  /** The same question again and again. */
  cache: {
    params: { n: 2000, model: 'mock' },
    quick: { n: 500 },
    variants: ({ cached }) => once(cached),
    async run({ cached }, { n, model }, kept) {
      const ask = (kept.ask ??= cached!(model))
      const question = { model, system: SYSTEM, user: USER }
      await ask(question)
      return each(n, async () => expectText(await ask(question)))
    },
  },

  /** An agent that calls one tool `k` times in sequence and then answers. */
  tools: {
    params: { n: 12, k: 10 },
    quick: { n: 5 },
    variants: ({ toolLoop }) => once(toolLoop),
    run: loopOverTools,
  },

  /** Two agents in alternation; the history grows. */
  chat: {
    params: { turns: [50, 100, 200, 400], wake: 20, model: 'mock' },
    quick: { turns: [50, 100, 200] },
    variants: ({ chats = {} }) => Object.keys(chats),
    run: chatOfTwo,
  },

  /** Peak of the resident memory of a fresh process over one chat. */
  rss: {
    fresh: true,
    params: { turns: [200], model: 'mock' },
    quick: {},
    variants: ({ chats = {} }) => Object.keys(chats),
    async run({ chats }, { turns, model, variant }) {
      collect()
      const before = process.memoryUsage.rss()
      await variantOf(chats, variant)({ model }).run(turns[0]!)
      const peak = process.resourceUsage().maxRSS * 1024
      return { before_mb: mb(before), peak_mb: mb(peak), growth_mb: Math.max(0, mb(peak - before)) }
    },
  },

  /** Chats of a fresh process that have had some messages each and are kept. */
  idle: {
    fresh: true,
    params: { chats: 2000, messages: 20, model: 'mock' },
    quick: { chats: 500 },
    variants: ({ idle = {} }) => Object.keys(idle),
    run: keepChats,
  },

  /** Calls for which the thread waits, one after the other. */
  blocking: {
    params: { n: 200, model: 'mock' },
    quick: { n: 60 },
    variants: ({ blocking }) => once(blocking),
    async run({ blocking }, { n, model }) {
      const question = { model, system: SYSTEM, user: USER }
      await repeat(Math.ceil(n / 20), async () => blocking!(question))
      return each(n, async () => expectText(blocking!(question)))
    },
  },

  /** A search whose parts answer at once. */
  search: {
    params: { n: 3, calls: 1000 },
    quick: { n: 1 },
    variants: ({ search }) => once(search),
    async run({ search }, { n, calls }) {
      let made = 0
      const time = await timed(() => repeat(n, async () => (made += await search!(calls))))
      expect(`calls ${made}`, made > 0)
      return per(time, made)
    },
  },

  /** Chats of a host, one after the other. */
  hosted: {
    params: { chats: 60 },
    quick: { chats: 20 },
    variants: ({ hosted }) => once(hosted),
    async run({ hosted }, { chats }) {
      await hosted!(1)
      let work: HostedWork | undefined
      const time = await timed(async () => (work = await hosted!(chats)))
      return { ...per(time, chats), commits: work!.commits / chats, characters: work!.characters / chats }
    },
  },

  /** Conversations that are in a database between two messages, one after the other. A message follows the answer before it. */
  talk: {
    params: { chats: 5, turns: [20, 200] },
    quick: { chats: 2 },
    // Those that are counted are not measured.
    variants: ({ talks = {} }) => Object.keys(talks).filter((name) => !name.endsWith('counted')),
    run: talkInTurns,
  },
}

/** Conversations in this process so far: each has an identifier of its own. */
let begun = 0

async function talkInTurns({ talks }: Contestant, { chats, turns, variant }: Params): Promise<Sample> {
  const make = talks?.[variant]
  if (!make) throw new Error(`no variant \`${variant}\``)
  const sample: Record<string, number> = {}
  for (const n of turns) {
    const { say, close, counted } = await make(n)
    const talk = async (): Promise<void> => {
      const id = `talk-${process.pid}-${begun++}`
      for (let turn = 0; turn < n; turn++) {
        const { length } = await say(id, `This is message ${turn} of the person, who says a little more than hello.`)
        expect('answer', length === ANSWER_CHARACTERS)
      }
    }
    // As many messages in all, whatever their number in a conversation.
    const count = Math.max(1, Math.round((chats * Math.min(...turns)) / n))
    await talk()
    const before = { ...counted }
    const { wall, cpu } = await timed(() => repeat(count, talk))
    sample[`wall_us_${n}`] = wall / count / n
    sample[`cpu_us_${n}`] = cpu / count / n
    if (counted) {
      sample[`commits_${n}`] = (counted.commits - before.commits!) / count / n
      sample[`characters_${n}`] = (counted.characters - before.characters!) / count / n
    }
    await close()
  }
  return sample
}

async function callsInFlight(call: Ask, { n, width, model }: Params): Promise<Sample> {
  const question = { model, system: SYSTEM, user: USER }
  await Promise.all(Array.from({ length: width }, () => call(question)))
  let left = n
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call(question)
  }
  const time = await timed(() => Promise.all(Array.from({ length: width }, lane)))
  return { ...per(time, n), calls_per_s: n / (time.wall / 1e6) }
}

async function streamFast({ stream }: Contestant, { n, chunks }: Params): Promise<Sample> {
  const question = { model: `mock-chunks${chunks}`, system: SYSTEM, user: USER }
  let first = 0
  const time = await timed(() =>
    repeat(n, async () => {
      const start = performance.now()
      let at = 0
      const text = await stream!(question, () => {
        if (at === 0) at = performance.now()
      })
      expect('streamed text', text.length === 6 * chunks)
      first += at - start
    }),
  )
  return { ...per(time, n), ttft_us: (first * 1000) / n }
}

async function streamPaced({ stream }: Contestant, { width, chunks, pace }: Params): Promise<Sample> {
  const question = { model: `mock-chunks${chunks}-pace${pace}`, system: SYSTEM, user: USER }
  const one = async (): Promise<void> => {
    let pieces = 0
    await stream!(question, () => pieces++)
    expect('chunks', pieces > 0)
  }
  const time = await timed(() => Promise.all(Array.from({ length: width }, one)))
  return { wall_us: time.wall, cpu_us_per_chunk: time.cpu / (width * chunks) }
}

async function loopOverTools({ toolLoop }: Contestant, { n, k }: Params, kept: Kept): Promise<Sample> {
  const onCall = (): void => {
    kept.calls = (kept.calls ?? 0) + 1
  }
  const ask = (kept.ask ??= toolLoop!({ model: `mock-tools${k}`, maxTurns: k + 2, onCall }))
  const question = { model: '', system: SYSTEM, user: USER }
  kept.calls = 0
  const time = await timed(() =>
    repeat(n, async () => {
      const { length } = await ask(question)
      expect('text', length === ANSWER_CHARACTERS || length === STREAMED_CHARACTERS)
    }),
  )
  expect(`tool calls ${kept.calls}`, kept.calls === n * k)
  return per(time, n * (k + 1))
}

async function chatOfTwo({ chats }: Contestant, { turns, wake, model, variant }: Params): Promise<Sample> {
  const make = variantOf(chats, variant)
  const sample: Record<string, number> = {}
  // Wakes connections and caches.
  if (wake > 0) await make({ model }).run(wake)
  for (const n of turns) {
    const chat = make({ model })
    let result: Awaited<ReturnType<typeof chat.run>> | undefined
    const time = await timed(async () => {
      result = await chat.run(n)
    })
    const right = result?.turns === n && result.messages === n + 1 && result.last.length === ANSWER_CHARACTERS
    expect(`turns ${result?.turns} of ${n}`, right)
    sample[`wall_us_${n}`] = time.wall
    sample[`cpu_us_${n}`] = time.cpu
    if (isUncollected) sample[`heap_kb_${n}`] = time.heap / 1024
  }
  return sample
}

async function keepChats({ idle }: Contestant, { chats, messages, model, variant }: Params): Promise<Sample> {
  const make = variantOf(idle, variant)
  // A few first, so that code and what is set up late are not counted.
  for (let i = 0; i < 20; i++) await make({ model }).run(messages - 1)
  const before = await settle()
  const kept: unknown[] = []
  const start = performance.now()
  for (let i = 0; i < chats; i++) {
    const chat = make({ model })
    await chat.run(messages - 1)
    kept.push(chat)
  }
  const wall = performance.now() - start
  const after = await settle()
  expect('kept', kept.length === chats)
  return {
    rss_kb: (after.rss - before.rss) / chats / 1024,
    heap_kb: (after.heap - before.heap) / chats / 1024,
    total_rss_mb: mb(after.rss),
    make_us: (wall * 1000) / chats,
  }
}

async function settle(): Promise<{ rss: number; heap: number }> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
    await delay(50)
  }
  const { rss, heapUsed, external } = process.memoryUsage()
  return { rss, heap: heapUsed + external }
}

/** Flags of a process that allocates the same in every run: it compiles nothing, and collects no sample before its end. */
export const UNCOLLECTED_FLAGS: readonly string[] = [
  '--no-opt',
  '--no-maglev',
  '--no-sparkplug',
  '--single-threaded',
  '--min-semi-space-size=256',
  '--max-semi-space-size=256',
]

/** True in such a process: what is allocated can be told, and times cannot. */
export const isUncollected: boolean = UNCOLLECTED_FLAGS.every((flag) => process.execArgv.includes(flag))

/** Microseconds of the clock and of the processor, and bytes that the heap has grown by. */
interface Time {
  readonly wall: number
  readonly cpu: number
  readonly heap: number
}

async function timed(work: () => Promise<unknown>): Promise<Time> {
  collect()
  const { heapUsed } = process.memoryUsage()
  const cpu = process.cpuUsage()
  const start = performance.now()
  await work()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(cpu)
  return { wall: wall * 1000, cpu: user + system, heap: process.memoryUsage().heapUsed - heapUsed }
}

async function each(n: number, work: () => Promise<void>): Promise<Sample> {
  return per(await timed(() => repeat(n, work)), n)
}

async function repeat(n: number, work: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < n; i++) await work()
}

function per({ wall, cpu, heap }: Time, n: number): Sample {
  return { wall_us: wall / n, cpu_us: cpu / n, ...(isUncollected && { heap_kb: heap / n / 1024 }) }
}

function collect(): void {
  globalThis.gc?.()
  globalThis.gc?.()
}

function variantOf(made: Readonly<Record<string, MakeChat>> | undefined, variant: string): MakeChat {
  const make = made?.[variant]
  if (!make) throw new Error(`no variant \`${variant}\``)
  return make
}

function once(part: unknown): readonly string[] {
  return part === undefined ? [] : ['']
}

function expectText({ length }: string): void {
  expect('text', length === ANSWER_CHARACTERS)
}

function expect(subject: string, right: boolean): void {
  if (!right) throw new Error(`wrong result: ${subject}`)
}

function mb(bytes: number): number {
  return bytes / 2 ** 20
}
