import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, ConversableAgent, initiateChats, tool, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { ModelAnswer, StoredAnswer } from '@x/interfaces'
import { createBudget, llmConfig } from '@x/model'
import { METHOD_NAMES, ReasoningAgent } from '@x/reasoning'
import { type KeptRun, openRecords, type Records, replay } from '@x/records'
import { functionModel, type ScriptedReply, scriptedProvider } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calls, never, quiet, reached } from './records-world.fake.ts'

let dir: string
let records: Records

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  records = openRecords(join(dir, 'runs.db'))
})

afterEach(() => {
  records.close()
  rmSync(dir, { recursive: true, force: true })
})

/** The outside of a program: it answers in a record, and fails a replay. */
interface Outside {
  readonly answers: boolean
  readonly prompt?: string
}

type Ending = (options: object, outside: Outside) => Promise<unknown>

const models = ({ answers }: Outside, replies: Record<string, ScriptedReply[]>, more: object = {}) =>
  llmConfig({
    providers: [
      scriptedProvider(
        Object.fromEntries(
          Object.entries(replies).map(([name, lines]) => {
            const left = [...lines]
            const next = (): ScriptedReply => {
              if (!answers) throw new Error(`the model ${name} was asked in a replay`)
              return left.shift() ?? 'No more.'
            }
            return [name, next]
          }),
        ),
      ),
    ],
    configList: Object.keys(replies).map((model) => ({ model, apiType: 'scripted', price: [1, 2] })),
    cacheSeed: null,
    ...more,
  } as never)

const helperOf = (outside: Outside, llm: unknown, more: object = {}): AssistantAgent =>
  new AssistantAgent({
    ...more,
    name: 'helper',
    systemMessage: outside.prompt ?? 'You help.',
    llmConfig: llm as ReturnType<typeof functionModel>,
    silent: true,
    io: quiet,
  })

const user = (): UserProxyAgent => new UserProxyAgent({ name: 'user', ...never, defaultAutoReply: 'On.' })

const toolOf = ({ answers }: Outside, execute: () => unknown) =>
  tool({
    name: 'look',
    description: 'Looks.',
    parameters: z.object({ item: z.string() }),
    execute: () => {
      if (!answers) throw new Error('a tool was called in a replay')
      return execute()
    },
  })

const scripted = ({ answers }: Outside, answer: Parameters<typeof functionModel>[0]) =>
  functionModel((call) => {
    if (!answers) throw new Error('a model was asked in a replay')
    return answer(call)
  })

/** An answer that never comes; whoever waits for it is told. */
function stuck(tell: () => void): ScriptedReply {
  tell()
  return { delay: new Promise(() => {}), reply: 'Never.' }
}

/** A tool that asks an agent, which looks. */
const asking = (outside: Outside, answer: Parameters<typeof functionModel>[0], more: object = {}) =>
  tool({
    name: 'ask',
    description: 'Asks.',
    parameters: z.object({ item: z.string() }),
    async execute({ item }, { run }) {
      if (!outside.answers) throw new Error('a tool was called in a replay')
      const look = { ...toolOf(outside, () => 'seen'), ...more }
      return (await helperOf(outside, scripted(outside, answer)).run(item, { tools: look, run })).text
    },
  })

/** Programs that end in their own ways. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  'failover to another model': (options, outside) =>
    helperOf(outside, models(outside, { first: [{ error: 'overloaded' }], second: ['Here.'] })).run('Go.', options),
  'every model fails': (options, outside) =>
    helperOf(outside, models(outside, { first: [{ error: 'server' }], second: [{ error: 'rate-limit' }] })).run(
      'Go.',
      options,
    ),
  'a model that times out': (options, outside) =>
    helperOf(outside, models(outside, { first: [{ error: 'timeout' }] })).run('Go.', options),
  'a stream that is cut off': async (options, outside) => {
    const cut: ScriptedReply = { stream: [{ type: 'textDelta', index: 0, text: 'Hal' }] }
    const stream = helperOf(outside, models(outside, { first: [cut] })).runStream('Go.', options)
    for await (const _ of stream);
    return await stream.result
  },
  'an answer of a cache': (options, outside) => {
    const answer: ModelAnswer = {
      ...{ id: 'a', model: 'first', created: 0, usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } },
      choices: [{ index: 0, message: { role: 'assistant', content: 'Kept.' }, finish_reason: 'stop' }],
    }
    const cache = {
      name: 'a cache',
      get(): StoredAnswer {
        if (!outside.answers) throw new Error('a cache was asked in a replay')
        return { answer, cost: 1 }
      },
      set() {},
    }
    return user().initiateChat(helperOf(outside, models(outside, { first: [] })), {
      ...{ message: 'Go.', maxTurns: 1, cache, ...options },
    })
  },
  'a budget that is used up': (options, outside) => {
    const budget = createBudget({ cost: 1 })
    const llm = functionModel(
      () => {
        if (!outside.answers) throw new Error('a model was asked in a replay')
        return 'More.'
      },
      { usage: [7, 3], cost: 0.6 },
    )
    return user().initiateChat(helperOf(outside, llm), { message: 'Go.', maxTurns: 9, budget, ...options })
  },
  'a budget that is used up within a reply function': (options, outside) => {
    const [budget, person] = [createBudget({ calls: 1 }), user()]
    person.registerReply(AssistantAgent, async (_, { run }) => {
      if (!outside.answers) throw new Error('a reply function was called in a replay')
      const { terminationReason } = await helperOf(
        outside,
        scripted(outside, () => 'Well.'),
      ).run('What now?', { run })
      return [true, `It ended: ${terminationReason}.`]
    })
    const isTerminationMsg = ({ content }: { readonly content?: unknown }): boolean => content === 'It ended: budget.'
    const helper = helperOf(outside, models(outside, { first: ['Here.'] }), { isTerminationMsg })
    return person.initiateChat(helper, { message: 'Go.', maxTurns: 3, budget, ...options })
  },
  'a stop within a tool': (options, outside) => {
    const stop = new AbortController()
    const tools = toolOf(outside, () => {
      stop.abort()
      return 'seen'
    })
    const llm = models(outside, { first: [calls('look'), 'Seen.'] })
    return helperOf(outside, llm).run('Go.', { tools, signal: stop.signal, ...options })
  },
  'a stop within a call': (options, outside) => {
    const stop = new AbortController()
    const llm = functionModel(({ messages }) => {
      if (!outside.answers) throw new Error('a model was asked in a replay')
      if (messages.length < 4) return 'More.'
      stop.abort()
      return { delay: new Promise(() => {}), reply: 'Never.' }
    })
    return user().initiateChat(helperOf(outside, llm), { message: 'Go.', maxTurns: 9, signal: stop.signal, ...options })
  },
  'a stop within an agent in a tool': (options, outside) => {
    const stop = new AbortController()
    const ask = asking(outside, ({ messages }) => (messages.length < 4 ? calls('look') : stuck(() => stop.abort())))
    const helper = helperOf(outside, models(outside, { first: [calls('ask')] }))
    return helper.run('Go.', { tools: ask, signal: stop.signal, ...options })
  },
  'a decision for which agents in tools wait': (options, outside) => {
    const ask = asking(outside, () => calls('look'), { needsApproval: true })
    return helperOf(outside, models(outside, { first: [calls('ask', 'ask')] })).run('Go.', { tools: ask, ...options })
  },
  'a reply function that asks an agent and fails': (options, outside) => {
    const person = user()
    person.registerReply(AssistantAgent, async (_, { run }) => {
      if (!outside.answers) throw new Error('a reply function was called in a replay')
      await helperOf(
        outside,
        scripted(outside, () => 'Well.'),
      ).run('What now?', { run })
      throw new Error('I do not know')
    })
    const helper = helperOf(outside, models(outside, { first: ['Here.'] }))
    return person.initiateChat(helper, { message: 'Go.', maxTurns: 3, ...options })
  },
  'a chat that fails beside an agent in a tool': (options, outside) => {
    const { promise: delay, resolve: fail } = Promise.withResolvers<void>()
    const ask = asking(outside, ({ messages }) => (messages.length < 4 ? calls('look') : stuck(fail)))
    const [person, helper] = [user(), helperOf(outside, models(outside, { first: [calls('ask')] }))]
    helper.registerForLlm(ask)
    person.registerForExecution(ask)
    const failing = new AssistantAgent({
      ...{ name: 'failing', silent: true, io: quiet },
      llmConfig: scripted(outside, () => ({ delay, reply: { error: 'server' } })),
    })
    const other = new UserProxyAgent({ name: 'other', ...never })
    const chats = [
      { chatId: 1, sender: person, recipient: helper, message: 'Go.', maxTurns: 3 },
      { chatId: 2, sender: other, recipient: failing, message: 'Go.', maxTurns: 3 },
    ]
    return initiateChats(chats, options)
  },
  'a question that nobody decides': (options, outside) => {
    const look = { ...toolOf(outside, () => 'seen'), needsApproval: true }
    return helperOf(outside, models(outside, { first: [calls('look')] })).run('Go.', { tools: look, ...options })
  },
}

async function recorded(program: Ending): Promise<KeptRun> {
  await reached(program({ tracer: records }, { answers: true }))
  return (await records.read((await records.list())[0]!.runId))!
}

describe.each(Object.entries(ENDINGS))('a run with %s', (_, program) => {
  it('is the same without a call outside, and differs by another prompt', async () => {
    const run = await recorded(program)
    expect(run.info.problem).toBeNull()
    expect(await replay(run, (options) => program(options, { answers: false }))).toEqual({ outcome: 'same' })
    const prompt = 'You refuse.'
    expect(await replay(run, (options) => program(options, { answers: false, prompt }))).toMatchObject({
      outcome: 'differs',
      difference: { path: 'model.messages.0.content', place: '1.1' },
    })
  })
})

describe.each(METHOD_NAMES)('the verifier of a search by %s', (method) => {
  const pay = (options: object, checked: string[], { answers = true, good = '20' } = {}): Promise<unknown> => {
    const llm = functionModel(({ agent }) => {
      if (!answers) throw new Error('a model was asked in a replay')
      if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10'
      return agent === 'tot_grader' ? 'Option 1: Rating: 6\nOption 2: Rating: 5' : '16 + 4 = 20'
    })
    const reasoner = new ReasoningAgent({
      ...{ name: 'reasoner', llmConfig: llm, silent: true, io: quiet },
      reasonConfig: {
        ...{ method, maxDepth: 2, nsim: 2 },
        verifier: (answer) => {
          checked.push(answer)
          return answer.endsWith(`= ${good}`)
        },
      },
    })
    return user().initiateChat(reasoner, { message: 'Pay 20.', maxTurns: 1, ...options })
  }

  it('is called in a replay as in the run, and another verdict is a difference', async () => {
    const [first, again]: [string[], string[]] = [[], []]
    await pay({ tracer: records }, first)
    const run = (await records.read((await records.list())[0]!.runId))!
    expect(await replay(run, (options) => pay(options, again, { answers: false }))).toEqual({ outcome: 'same' })
    // An answer that the search stopped waiting for may have been checked, too.
    expect([again.length > 0, first]).toEqual([true, expect.arrayContaining(again)])
    expect(await replay(run, (options) => pay(options, [], { answers: false, good: '21' }))).toMatchObject({
      outcome: 'differs',
    })
  })
})

describe.each(METHOD_NAMES)('a search by %s', (method) => {
  /** Pays; the second and the third call fail, or all of them, or the run is stopped within the second one. */
  const pay = (options: object, { answers = true, end = 'fails', text = 'Pay 20.' } = {}): Promise<unknown> => {
    const stop = new AbortController()
    let asked = 0
    const llm = scripted({ answers }, ({ agent }) => {
      asked++
      if (asked > 1 && end === 'stops') return stuck(() => stop.abort())
      if (end === 'always fails' || (end === 'fails' && (asked === 2 || asked === 3))) return { error: 'server' }
      if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10'
      return agent === 'tot_grader' ? 'Option 1: Rating: 6\nOption 2: Rating: 5' : '16 + 4 = 20'
    })
    const reasoner = new ReasoningAgent({
      ...{ name: 'reasoner', llmConfig: llm, silent: true, io: quiet },
      reasonConfig: { method, maxDepth: 2, nsim: 2 },
    })
    return user().initiateChat(reasoner, { message: text, maxTurns: 1, signal: stop.signal, ...options })
  }

  it.each(['fails', 'always fails', 'stops'])('is repeated where a call %s', async (end) => {
    await reached(pay({ tracer: records }, { end }))
    const run = (await records.read((await records.list())[0]!.runId))!
    expect(await replay(run, (options) => pay(options, { answers: false }))).toEqual({ outcome: 'same' })
    expect(await replay(run, (options) => pay(options, { answers: false, text: 'Pay 21.' }))).toMatchObject({
      outcome: 'differs',
    })
  })
})

it('a replay of a search finds each of many jobs without a look at all of them', async () => {
  const model = functionModel(({ messages }) => {
    const size = JSON.stringify(messages).length
    return `Option 1: go ${size}\nOption 2: stay ${size}\nOption 3: wait ${size}`
  })
  const search = (options: object) =>
    new ReasoningAgent({
      ...{ name: 'thinker', llmConfig: model, silent: true },
      reasonConfig: { method: 'beam_search', beamSize: 20, maxDepth: 10 },
    }).run('Which way?', options)
  await search({ tracer: records })
  const [info] = await records.list()
  const run = (await records.read(info!.runId))!
  const jobs = run.entries.filter(({ kind }) => kind === 'job').length
  let looks = 0
  const report = await replay(run, ({ journal, tracer }) => {
    const recall = journal.recall.bind(journal)
    journal.recall = (place) =>
      new Proxy(recall(place), {
        get: (entries, key) => {
          looks++
          return Reflect.get(entries, key) as unknown
        },
      })
    return search({ journal, tracer })
  })
  expect(report).toEqual({ outcome: 'same' })
  expect(jobs).toBeGreaterThan(500)
  // Each is asked for a few times, and found beside the one before.
  expect(looks).toBeLessThan(jobs * 400)
})

it('a group that ends sooner differs in the call that is missing, and not in its last message', async () => {
  const talk = async (options: object, maxRound: number): Promise<unknown> => {
    const speaks = functionModel(({ agent }) => `I am ${agent!}.`)
    const members = ['ann', 'bob'].map((name) => new ConversableAgent({ name, ...never, llmConfig: speaks }))
    const groupchat = new GroupChat({ agents: members, maxRound, speakerSelectionMethod: 'round_robin', io: quiet })
    const manager = new GroupChatManager({ groupchat, silent: true, io: quiet })
    return await new UserProxyAgent({ name: 'user', ...never }).initiateChat(manager, { message: 'Go.', ...options })
  }
  await talk({ tracer: records }, 4)
  const [info] = await records.list()
  const run = (await records.read(info!.runId))!
  expect(await replay(run, (options) => talk(options, 4))).toEqual({ outcome: 'same' })
  expect(await replay(run, (options) => talk(options, 3))).toMatchObject({
    difference: { agentPath: ['chat_manager', 'ann'], path: 'model', now: undefined },
  })
  expect(await replay(run, (options) => talk(options, 3), { ignore: ['model'] })).toMatchObject({
    difference: { path: 'chatEnd.summary', recorded: 'I am ann.', now: 'I am bob.' },
  })
})

describe.each(['a nested chat', 'a search'])('a stream with %s that is left after any event', (inside) => {
  const program = (options: object, prompt = 'You answer.'): ReturnType<UserProxyAgent['initiateChatStream']> => {
    const replies = { tot_thinker: 'Option 1: a', tot_grader: 'Rating: 5' } as Readonly<Record<string, string>>
    const llmConfig = functionModel(({ agent }) => replies[agent ?? ''] ?? 'Yes.')
    const common = { ...never, systemMessage: prompt, llmConfig }
    const search = { method: 'beam_search', maxDepth: 1 } as const
    const asked =
      inside === 'a search'
        ? new ReasoningAgent({ ...common, name: 'asked', codeExecutionConfig: false, reasonConfig: search })
        : new AssistantAgent({ ...common, name: 'asked' })
    if (inside !== 'a search') {
      const critic = new AssistantAgent({ ...common, name: 'critic' })
      asked.registerNestedChats(
        [{ recipient: critic, message: 'Judge.', maxTurns: 1, summaryMethod: 'last_msg' }],
        () => true,
      )
    }
    return new UserProxyAgent({ name: 'user', ...never }).initiateChatStream(asked, {
      ...{ message: 'Well?', maxTurns: 1 },
      ...options,
    })
  }
  /** Reads events of the stream until it is left; returns how many there were. */
  const read = async (stream: ReturnType<typeof program>, most = Infinity): Promise<number> => {
    let count = 0
    for await (const _ of stream) if (++count === most) break
    return count
  }

  it('is the same up to there, although nobody leaves it in the replay', async () => {
    const all = await read(program({}))
    for (let most = 1; most <= all; most++) {
      await read(program({ tracer: records }), most)
      const [info] = await records.list()
      const run = (await records.read(info!.runId))!
      expect([most, await replay(run, (options) => read(program(options)))]).toEqual([most, { outcome: 'same' }])
      if (run.calls.length < (inside === 'a search' ? 3 : 1)) continue
      const changed = await replay(run, (options) => read(program(options, 'You ask.')))
      expect([most, changed]).toMatchObject([most, { outcome: 'differs' }])
    }
  })
})
