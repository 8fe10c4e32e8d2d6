import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, ChatJournal, createAgent, type RunResult, tool, toolContent, UserProxyAgent } from '@x/agent'
import { defaultPattern, groupTool, initiateGroupChat, replyResult } from '@x/group'
import type { Run } from '@x/interfaces'
import { createBudget, llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { type ForkedProgram, forkRun, type KeptRun, openRecords, type Records, replay } from '@x/records'
import { functionModel, startFakeOpenAI } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calls, CODE_READER, quiet } from './records-world.fake.ts'

let dir: string
let records: Records
/** All that was done outside, in order. */
let done: string[]

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  records = openRecords(join(dir, 'runs.db'))
  done = []
})

afterEach(() => {
  records.close()
  rmSync(dir, { recursive: true, force: true })
})

/** Parts of the program that a fork may change. */
interface Change {
  readonly prompt?: string
  readonly message?: string
  readonly model?: string
  readonly price?: string
  readonly signal?: AbortSignal
}

/** A program with a tool that costs, an approval, code, a person and a model, each behind the other. */
async function sell(options: object, { prompt = 'You sell.', message = 'Tea, at', ...more }: Change = {}) {
  const { model = 'scripted', price = '3', signal } = more
  const lines = [calls('charge'), '```sh\nls\n```', 'What else?', 'Bye.'] as const
  const clerk = new AssistantAgent({
    name: 'clerk',
    systemMessage: prompt,
    llmConfig: functionModel(
      ({ messages }) => {
        const said = messages.filter(({ role }) => role === 'assistant').length
        done.push(`${model} ${said}: ${messages[0]!.content as string}`)
        return lines[Math.min(said, lines.length - 1)]!
      },
      { model, usage: [7, 3], cost: 1 },
    ),
    silent: true,
    io: quiet,
  })
  const charge = tool({
    name: 'charge',
    description: 'Charges the card.',
    parameters: z.object({ item: z.string() }),
    needsApproval: true,
    execute: (_, { key }) => {
      done.push(`charge ${key.split(':')[0]!.length > 0}`)
      return price
    },
  })
  const executor = {
    codeReader: CODE_READER,
    isolation: 'host' as const,
    executeCodeBlocks: async () => {
      done.push('code')
      return { exitCode: 0, output: 'a file', codeFile: null }
    },
  }
  const people = ['yes', 'More, please.', 'exit']
  const desk = new UserProxyAgent({
    name: 'desk',
    humanInputMode: 'TERMINATE',
    maxConsecutiveAutoReply: 2,
    codeExecutionConfig: { executor } as never,
    io: {
      ...quiet,
      input: () => {
        done.push('person')
        return people.shift() ?? 'exit'
      },
    },
    silent: true,
  })
  clerk.registerForLlm(charge)
  desk.registerForExecution(charge)
  const text = `${message} ${new Date().toISOString()} for ${crypto.randomUUID()}`
  return await desk.initiateChat(clerk, { message: text, maxTurns: 4, ...(signal && { signal }), ...options })
}

async function recorded(program: (options: object) => Promise<unknown>): Promise<KeptRun> {
  await program({ tracer: records })
  return (await records.read((await records.list())[0]!.runId))!
}

const fork = async <T>(run: KeptRun, place: string | null, program: ForkedProgram<T>, more: object = {}) => {
  done = []
  return await forkRun(run, place, program, { records, ...more })
}

describe('a fork with effects', () => {
  it('does again what stands at its place and behind it, and nothing before', async () => {
    const run = await recorded((options) => sell(options))
    const all = [...done]
    const kinds = run.calls.filter(({ kind }) => kind !== 'begin').map(({ place, kind }) => [place, kind])
    expect(kinds.map(([, kind]) => kind)).toEqual(expect.arrayContaining(['model', 'tool', 'code', 'human']))
    const left: number[] = []
    for (const [place] of kinds) {
      const [sample] = await fork(run, place!, (options) => sell(options))
      expect([place, sample!.error]).toEqual([place, undefined])
      // What is done is the end of what was done.
      expect(done).toEqual(all.slice(all.length - done.length))
      left.push(done.length)
    }
    expect(left).toEqual(left.toSorted((one, other) => other - one))
    expect(left[0]).toBe(all.length)
    await fork(run, null, (options) => sell(options))
    expect(done).toEqual([])
  })

  it.each<[string, Change, string]>([
    ['prompt', { prompt: 'You give.' }, 'scripted 3: You give.'],
    ['model', { model: 'other' }, 'other 3: You sell.'],
    ['message', { message: 'Coffee, at' }, 'scripted 3: You sell.'],
    ['tool', { price: '5' }, 'scripted 3: You sell.'],
  ])('goes on with another %s', async (_, change, last) => {
    const run = await recorded((options) => sell(options))
    const { place } = run.calls.findLast(({ kind }) => kind === 'model')!
    const [sample] = await fork(run, place, (options) => sell(options, change))
    expect([sample!.error, done]).toEqual([undefined, [last]])
    const kept = (await records.read(sample!.runId))!
    expect(kept.info).toMatchObject({ parent: { runId: run.info.runId, place }, spent: [{ calls: 1 }], problem: null })
    expect(await replay(kept, (options) => sell(options, change))).toEqual({ outcome: 'same' })
    const isSame = 'price' in change
    expect(await replay(kept, (options) => sell(options))).toMatchObject({ outcome: isSame ? 'same' : 'differs' })
  })

  it('forks forks, and runs that were resumed from a journal', async () => {
    const run = await recorded((options) => sell(options))
    const places = run.calls.filter(({ kind }) => kind === 'model').map(({ place }) => place)
    const [first] = await fork(run, places[1]!, (options) => sell(options, { prompt: 'You give.' }))
    const [second] = await fork((await records.read(first!.runId))!, places[2]!, (options) => sell(options))
    expect(done).toEqual(['scripted 2: You sell.', 'person', 'scripted 3: You sell.'])
    const kept = (await records.read(second!.runId))!
    expect(kept.info.parent).toEqual({ runId: first!.runId, place: places[2] })
    expect(await replay(kept, (options) => sell(options, { prompt: 'You give.' }))).toMatchObject({
      outcome: 'differs',
    })
  })
})

describe('a fork with hooks that its run did not have', () => {
  it.each(['processAllMessagesBeforeReply', 'processLastReceivedMessage', 'processMessageBeforeSend'] as const)(
    'calls them behind its place alone, and is repeated: %s',
    async (name) => {
      const program = async (options: object, isHooked: boolean): Promise<unknown> => {
        const helper = helperFor(1, 'Yes.')
        const hook = (given: unknown): unknown => {
          done.push('hook')
          return name === 'processMessageBeforeSend' ? (given as { message: unknown }).message : given
        }
        if (isHooked) helper.registerHook(name, hook as never)
        return await helper.run('Is it?', { tools: lookFor(), ...options })
      }
      const run = await recorded((options) => program(options, false))
      for (const place of ['1.1', '1.2.0.0', '1.3', null]) {
        const [sample] = await fork(run, place, (options) => program(options, true))
        expect([place, sample!.error]).toEqual([place, undefined])
        if (place === '1.1') expect(done).toContain('hook')
        const kept = (await records.read(sample!.runId))!
        const before = done.length
        expect([place, await replay(kept, (options) => program(options, true))]).toEqual([place, { outcome: 'same' }])
        expect(done).toHaveLength(before)
      }
    },
  )
})

/** A program that asks one question. */
const ask = (options: object, cost = 1, answer = 'Yes.', look = () => {}): Promise<RunResult> =>
  helperFor(cost, answer).run('Is it?', { tools: lookFor(look), ...options })

const helperFor = (cost: number, answer: string): AssistantAgent =>
  new AssistantAgent({
    name: 'helper',
    llmConfig: functionModel(
      ({ messages }) => {
        done.push('model')
        return messages.some(({ role }) => role === 'tool') ? answer : calls('look')
      },
      { usage: [7, 3], cost },
    ),
    silent: true,
  })

const lookFor = (look = () => {}) =>
  tool({
    name: 'look',
    description: 'Looks.',
    parameters: z.object({ item: z.string() }),
    execute: () => {
      done.push('tool')
      look()
      return 'seen'
    },
  })

describe('the samples of a fork', () => {
  it('share a budget, and end where it is used up', async () => {
    const run = await recorded((options) => ask(options))
    const budget = createBudget({ cost: 2 })
    const samples = await fork(run, '1.1', (options) => ask(options), { samples: 4, budget })
    expect(samples).toHaveLength(4)
    expect(done.filter((each) => each === 'model').length).toBeLessThanOrEqual(3)
    const ends = samples.map(({ value, error }) => value?.terminationReason ?? (error as { code?: string }).code)
    expect(ends.some((end) => end === 'budget' || end === 'budget-exceeded')).toBe(true)
  })

  it('are apart from those of another fork at the same time', async () => {
    const run = await recorded((options) => ask(options))
    const [one, other] = await Promise.all([
      forkRun(run, '1.3', (options) => ask(options, 1, 'One.'), { records, samples: 2 }),
      forkRun(run, '1.3', (options) => ask(options, 1, 'Other.'), { records, samples: 2 }),
    ])
    expect([...one, ...other].map(({ value }) => value!.text)).toEqual(['One.', 'One.', 'Other.', 'Other.'])
    expect(new Set([...one, ...other].map(({ runId }) => runId)).size).toBe(4)
  })
})

describe('a fork that is interrupted', () => {
  it('says so, and another one goes on from where it was', async () => {
    const run = await recorded((options) => ask(options))
    const stop = new AbortController()
    const [sample] = await fork(run, '1.1', (options) =>
      ask({ ...options, signal: stop.signal }, 1, 'Yes.', () => stop.abort()),
    )
    expect(sample!.error).toMatchObject({ code: 'aborted' })
    const kept = (await records.read(sample!.runId))!
    expect(kept.info).toMatchObject({ outcome: 'aborted', parent: { place: '1.1' } })
    const [next] = await fork(kept, null, (options) => ask(options))
    expect(next!.value?.text).toBe('Yes.')
    // The tool under way has no answer, and is called again.
    expect(done).toEqual(['tool', 'model'])
  })
})

describe('a fork of a run that waited', () => {
  it('takes the decision from the record, or another one', async () => {
    const refund = (options: object, ran: string[]): Promise<RunResult> =>
      new AssistantAgent({
        name: 'clerk',
        llmConfig: functionModel(({ messages }) =>
          messages.at(-1)?.role === 'tool' ? (messages.at(-1)!.content as string) : calls('refund'),
        ),
        silent: true,
      }).run('It broke.', {
        tools: tool({
          name: 'refund',
          description: 'Pays back.',
          parameters: z.object({ item: z.string() }),
          needsApproval: true,
          execute: () => {
            ran.push('refund')
            return 'paid back'
          },
        }),
        ...options,
      })
    const journal = new ChatJournal()
    const ran: string[] = []
    const first = await refund({ journal, tracer: records }, ran)
    expect(first.terminationReason).toBe('suspended')
    const resumed = ChatJournal.load(JSON.parse(JSON.stringify(journal.saveState())))
    await resumed.decide(resumed.pending[0]!.id, { allow: true })
    await refund({ journal: resumed, tracer: records }, ran)
    expect(ran).toEqual(['refund'])
    const run = (await records.read(journal.runId!))!
    expect(run.info.problem).toBeNull()
    expect(await replay(run, (options) => refund(options, ran))).toEqual({ outcome: 'same' })
    const { place } = run.calls.findLast(({ kind }) => kind === 'model')!
    const [sample] = await forkRun(run, place, (options) => refund(options, ran), { records })
    expect([sample!.value?.text, ran]).toEqual(['paid back', ['refund']])
    const decision = run.entries.find(({ kind }) => kind === 'decision')!
    const answer = { allow: false, reason: 'not so fast' }
    const [denied] = await forkRun(run, decision.place, (options) => refund(options, ran), { records, answer })
    expect(denied!.value?.text).toContain('not so fast')
    expect(ran).toEqual(['refund'])
  })
})

describe('a fork that cannot be', () => {
  it.each<[string, string, object, RegExp]>([
    ['a place without a call', '7.1', {}, /no call has the place `7\.1`; its calls are at 1\.1, 1\.2\.0\.0, 1\.3/u],
    ['a place that is none', 'end', {}, /no call has the place `end`/u],
    ['an answer that is no JSON', '1.1', { answer: { content: 1n } }, /`answer` at `1\.1` is not a text or a message/u],
    ['an answer of another kind', '1.1', { answer: 7 }, /`answer` at `1\.1` is not a text or a message/u],
    ['no samples', '1.1', { samples: 0 }, /samples/u],
    ['a budget that is none', '1.1', { budget: {} }, /budget/u],
    ['an option that is none', '1.1', { prompt: 'x' }, /prompt/u],
  ])('is refused: %s', async (_, place, options, message) => {
    const run = await recorded((given) => ask(given))
    await expect(fork(run, place, (given) => ask(given), options)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(message),
    })
    expect(done).toEqual([])
  })

  it('says so where the program starts nothing with its options', async () => {
    const run = await recorded((options) => ask(options))
    for (const sample of await fork(run, '1.3', () => ask({}), { samples: 2 })) {
      expect(sample.value).toBeUndefined()
      expect(sample.error).toMatchObject({
        code: 'invalid-argument',
        message: expect.stringContaining('pass the options of `forkRun` on'),
      })
    }
    const [failed] = await fork(run, '1.3', () => Promise.reject(new Error('no network')))
    expect(failed!.error).toMatchObject({ message: 'no network' })
  })

  it('fails alone where the program has changed before the place', async () => {
    const run = await recorded((options) => ask(options))
    const person = new UserProxyAgent({ name: 'helper', humanInputMode: 'ALWAYS', io: quiet, silent: true })
    const other = (options: object): Promise<unknown> =>
      new AssistantAgent({ name: 'user', silent: true }).initiateChat(person, {
        message: 'Is it?',
        maxTurns: 1,
        ...options,
      })
    const [sample] = await fork(run, '1.3', (options) => other(options))
    expect(sample!.error).toMatchObject({ code: 'invalid-state', message: expect.stringContaining('`1.') })
  })
})

it('a fork goes on with agents whose names have random identifiers', async () => {
  const program = async (options: object) => {
    const model = functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'end' : calls('all')))
    const all = tool({
      name: 'all',
      description: 'All.',
      parameters: z.object({ item: z.string() }),
      execute: () => 'all',
    })
    return await createAgent({ name: `clerk-${crypto.randomUUID()}`, model, tools: all }).run('Go.', options)
  }
  const run = await recorded(program)
  const [sample] = await fork(run, run.calls.at(-1)!.place, program)
  expect(sample!.value?.text).toBe('end')
})

describe('a fork inside a tool that asks side by side', () => {
  interface Question {
    readonly name: string
    readonly text: string
  }

  /** Asks agents side by side within one tool, in the order of their chats, and tells their answers in the order of names. */
  const askAll = async (questions: readonly Question[], options: object): Promise<unknown> => {
    const askOne = async ({ name, text }: Question, run: Run | undefined): Promise<string> => {
      const model = functionModel(() => {
        done.push(text)
        return `to ${text}`
      })
      return (await createAgent({ name, model, silent: true }).run(text, { run })).text
    }
    const all = tool({
      name: 'all',
      description: 'Asks all.',
      parameters: z.object({ item: z.string() }),
      execute: async (_, { run }) =>
        JSON.stringify(await Promise.all(questions.map(async (each) => await askOne(each, run)))),
    })
    const model = functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'end' : calls('all')))
    const top = createAgent({ name: 'top', silent: true, tools: all, model })
    return (await top.run('Go.', options)).toolCalls[0]!.result
  }

  it.each<[string, Question, Question, RegExp]>([
    ['agents', { name: 'ann', text: 'Who?' }, { name: 'bob', text: 'Who?' }, /with ann .+ with bob/su],
    ['questions', { name: 'ann', text: 'Who?' }, { name: 'ann', text: 'Where?' }, /"Who\?".+"Where\?"/su],
    [
      'questions with times',
      { name: 'ann', text: `Who, at ${new Date().toISOString()}?` },
      { name: 'ann', text: `Where, at ${new Date().toISOString()}?` },
      /"Who, .+"Where, /su,
    ],
  ])('refuses other %s at a place before it, and asks nobody', async (_, one, other, message) => {
    const run = await recorded((options) => askAll([one, other], options))
    const later = ({ name, text }: Question): Question => ({
      name,
      text: text.replace(/ at .+/u, ` at ${new Date(Date.now() + 20).toISOString()}?`),
    })
    const places = run.calls.filter(({ kind, place }) => kind === 'model' && place.startsWith('1.2.'))
    const { place } = places[1]!
    const [sample] = await fork(run, place, (options) => askAll([later(other), later(one)], options))
    expect(sample!.error).toMatchObject({ code: 'invalid-state', message: expect.stringMatching(message) })
    expect(sample!.error).toMatchObject({ details: { place: places[0]!.place.slice(0, -2) } })
    expect(done).toEqual([])
    const [same] = await fork(run, place, (options) => askAll([one, other], options))
    expect([same!.error, done]).toEqual([undefined, [other.text]])
    // Nothing of either chat comes from the record.
    const [before] = await fork(run, places[0]!.place, (options) => askAll([other, one], options))
    expect([before!.error, done]).toEqual([undefined, [other.text, one.text]])
  })

  it('goes on with another question, which no chat of the record had', async () => {
    const [one, other] = [
      { name: 'ann', text: 'Who?' },
      { name: 'ann', text: 'Where?' },
    ]
    const run = await recorded((options) => askAll([one, other], options))
    const { place } = run.calls.filter((call) => call.kind === 'model' && call.place.startsWith('1.2.'))[1]!
    const [sample] = await fork(run, place, (options) => askAll([{ ...one, text: 'Who is it?' }, other], options))
    expect([sample!.error, done]).toEqual([undefined, ['Where?']])
  })
})

describe('the answer that a fork is given for a tool', () => {
  it('may be parts, such as an image', async () => {
    const url = 'data:image/png;base64,iVBORw0KGgo='
    const show = tool({
      name: 'show',
      description: 'Shows.',
      parameters: z.object({ item: z.string() }),
      execute: () => '',
    })
    const program = async (options: object) => {
      const model = functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'Seen.' : calls('show')))
      return await new AssistantAgent({ name: 'clerk', llmConfig: model, silent: true }).run('Go.', {
        tools: show,
        ...options,
      })
    }
    const run = await recorded(program)
    const { place } = run.calls.find(({ kind }) => kind === 'tool')!
    const parts = [
      { type: 'text' as const, text: 'A page.' },
      { type: 'image_url' as const, image_url: { url } },
    ]
    const [sample] = await fork(run, place, program, { answer: toolContent(parts) })
    const kept = (await records.read(sample!.runId))!
    const messages = kept.calls.at(-1)!.input['messages'] as readonly { readonly content: unknown }[]
    expect(messages.at(-1)!.content).toEqual(parts)
    expect(await replay(kept, program)).toEqual({ outcome: 'same' })
  })

  it('may be one with variables and the next member of a group', async () => {
    const pay = groupTool<{ paid: number }>()({
      ...{ name: 'pay', description: 'Pays.', parameters: z.object({ item: z.string() }) },
      execute: () => replyResult<{ paid: number }>({ message: 'paid', contextVariables: { paid: 1 } }),
    })
    const program = async (options: object) => {
      const model = functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'Done.' : calls('pay')))
      const agents = ['ann', 'bob'].map((name) => new AssistantAgent({ name, llmConfig: model, functions: pay }))
      const pattern = defaultPattern({ initialAgent: 'ann', agents, contextVariables: { paid: 0 } })
      return await initiateGroupChat(pattern, 'Go.', { silent: true, ...options })
    }
    const run = await recorded(program)
    const { place } = run.calls.find(({ kind }) => kind === 'tool')!
    const answer = replyResult<{ paid: number }>({ message: 'refused', target: 'bob', contextVariables: { paid: 0 } })
    const [sample] = await fork(run, place, program, { answer })
    const { contextVariables, messages } = sample!.value!
    expect(contextVariables).toEqual({ paid: 0 })
    expect(messages.slice(-2)).toMatchObject([{ content: 'refused' }, { content: 'Done.', name: 'bob' }])
  })
})

describe('the answer that a fork is given for a model', () => {
  it('may be that of a model which a tool asks, and none is one of vectors', async () => {
    await using server = await startFakeOpenAI({ replies: ['Blue.', 'Red.'] })
    const config = { apiKey: 'none', baseUrl: server.url, cacheSeed: null, price: [0, 0] as const }
    const inner = llmConfig({ providers: [openai], model: 'm', ...config }).createModel()
    const look = tool({
      ...{ name: 'look', description: 'Looks.', parameters: z.object({ item: z.string() }) },
      async execute({ item }, { run }) {
        const { choices } = await inner.create({ messages: [{ role: 'user', content: item }] }, { run })
        await inner.embed({ input: item }, { run }).catch(() => null)
        return choices[0]!.message.content
      },
    })
    const program = async (options: object) => {
      const model = functionModel(({ messages }) =>
        messages.at(-1)!.role === 'tool' ? `It is ${messages.at(-1)!.content as string}` : calls('look'),
      )
      const { text } = await new AssistantAgent({ name: 'clerk', llmConfig: model, silent: true }).run('Go.', {
        tools: look,
        ...options,
      })
      return text
    }
    const run = await recorded(program)
    const [asked, vectors] = run.calls.filter(({ place }) => place.startsWith('1.2.0.0.'))
    for (const answer of ['Green.', { content: 'Green.' }]) {
      const [sample] = await fork(run, asked!.place, program, { answer })
      expect(sample!.value).toBe('It is Green.')
      expect(await replay((await records.read(sample!.runId))!, program)).toEqual({ outcome: 'same' })
    }
    await expect(fork(run, vectors!.place, program, { answer: 'Green.' })).rejects.toThrow('no answer can be given')
  })
})

it('a fork whose tools asked agents before its place is the same where tools are called', async () => {
  const program = (prompt: string) => async (options: object) => {
    const agent = (name: string, answer: Parameters<typeof functionModel>[0]): AssistantAgent =>
      new AssistantAgent({ name, systemMessage: prompt, llmConfig: functionModel(answer), silent: true })
    const ask = tool({
      ...{ name: 'ask', description: 'Asks.', parameters: z.object({ item: z.string() }) },
      async execute({ item }, { run }) {
        done.push(item)
        return (await agent('expert', () => 'Yes.').run(item, { run })).text
      },
    })
    const lines = [calls('ask'), calls('ask'), 'Done.'] as const
    const clerk = agent('clerk', ({ messages }) => lines[messages.filter(({ role }) => role === 'tool').length]!)
    return await clerk.run('Go.', { tools: ask, ...options })
  }
  const run = await recorded(program('You ask.'))
  const [sample] = await fork(run, '1.3', program('You ask.'))
  const kept = (await records.read(sample!.runId))!
  done = []
  expect(await replay(kept, program('You ask.'), { make: ['tool'] })).toEqual({ outcome: 'same' })
  // The call behind the place is made, and that before it is not.
  expect(done).toEqual(['tea'])
  const changed = await replay(kept, program('You guess.'), { make: ['tool'] })
  expect(changed).toMatchObject({ outcome: 'differs' })
})

it('a fork is the same where tools are called, although those before its place have left nothing in memory', async () => {
  const program = async (options: object) => {
    const notes: string[] = []
    const note = tool({
      ...{ name: 'note', description: 'Notes.', parameters: z.object({ item: z.string() }) },
      execute: ({ item }) => `${notes.push(item)} noted`,
    })
    const lines = [calls('note'), calls('note'), 'Done.'] as const
    const llmConfig = functionModel(({ messages }) => lines[messages.filter(({ role }) => role === 'tool').length]!)
    return await new AssistantAgent({ name: 'clerk', llmConfig, silent: true }).run('Go.', { tools: note, ...options })
  }
  const [sample] = await fork(await recorded(program), '1.3', program)
  expect(sample!.value!.toolCalls.map(({ result }) => result)).toEqual(['1 noted', '1 noted'])
  const kept = (await records.read(sample!.runId))!
  expect(await replay(kept, program, { make: ['tool'] })).toEqual({ outcome: 'same' })
})
