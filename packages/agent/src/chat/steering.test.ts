import type { ChatMessage, JournalEntry, SteeringSource, XEvent } from '@x/interfaces'
import { functionModel, scriptedModel } from '@x/testing'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ChatJournal, ConversableAgent, createAgent, initiateChats, Steering, tool } from '../index.ts'

type Replies = Parameters<typeof scriptedModel>[0]
type Agent = ReturnType<typeof createAgent>

const call = (name: string, id = 'c1'): Replies[number] & object => ({
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: '{}' } }],
})

/** A tool that does something while it runs. */
const doing = (name: string, act: (run: never) => unknown): ReturnType<typeof tool> =>
  tool({
    name,
    description: name,
    parameters: { type: 'object' },
    execute: (_, { run }) => act(run as never) ?? 'done',
  })

const helper = (replies: Replies): { agent: Agent; model: ReturnType<typeof scriptedModel> } => {
  const model = scriptedModel(replies, { repeatLast: true })
  return { model, agent: createAgent({ name: 'helper', model, instructions: 'Help.' }) }
}

const said = (messages: readonly ChatMessage[]): string[] =>
  messages.map(
    ({ role, content, tool_calls: calls }) => `${role}: ${calls ? 'call' : typeof content === 'string' ? content : ''}`,
  )

const asked = ({ calls }: { readonly calls: readonly { readonly messages: readonly ChatMessage[] }[] }): string[][] =>
  calls.map(({ messages }) => said(messages.filter(({ role }) => role !== 'system')))

const steeringEvents = (events: readonly XEvent[]): string[] =>
  events.flatMap((event) => (event.type === 'steeringMessage' ? [`${event.agent}: ${event.text}`] : []))

const faces: Record<string, (agent: Agent, options: Parameters<Agent['run']>[1] & object) => Promise<unknown>> = {
  sync: async (agent, options) => agent.runSync('Go', options),
  async: async (agent, options) => await agent.run('Go', options),
  stream: async (agent, { emit, ...options }) => {
    const stream = agent.runStream('Go', options)
    for await (const event of stream) await emit?.(event)
    return await stream.result
  },
}

describe.each(Object.keys(faces))('a message to a run under way (%s)', (face) => {
  it('goes to the next question, behind the results of calls, and stays there', async () => {
    const { agent, model } = helper([call('look'), call('look', 'c2'), 'fine'])
    const steering = new Steering()
    const taken: Promise<boolean>[] = []
    const events: XEvent[] = []
    const emit = (event: XEvent): void => {
      events.push(event)
      if (event.type === 'toolEnd' && taken.length === 0) taken.push(steering.steer('Be quick'), steering.steer('Now'))
    }
    const result = await faces[face]!(agent, { tools: doing('look', () => 'seen'), steering, emit })
    expect(asked(model).slice(1)).toEqual([
      ['user: Go', 'assistant: call', 'tool: seen', 'user: Be quick', 'user: Now'],
      ['user: Go', 'assistant: call', 'tool: seen', 'user: Be quick', 'user: Now', 'assistant: call', 'tool: seen'],
    ])
    expect(await Promise.all(taken)).toEqual([true, true])
    expect(steeringEvents(events)).toEqual(['helper: Be quick', 'helper: Now'])
    expect(said((result as { messages: ChatMessage[] }).messages)).toContain('user: Be quick')
  })

  it('that comes before the run goes to its first question', async () => {
    const { agent, model } = helper(['fine'])
    const steering = new Steering()
    const taken = steering.steer('In French')
    await faces[face]!(agent, { steering })
    expect(asked(model)).toEqual([['user: Go', 'user: In French']])
    expect(await taken).toBe(true)
  })

  it('that comes too late is not taken', async () => {
    const { agent, model } = helper(['fine'])
    const steering = new Steering()
    let late: Promise<boolean> | undefined
    const emit = (event: XEvent): void => {
      if (event.type === 'modelCallEnd') late = steering.steer('Wait')
    }
    await faces[face]!(agent, { steering, emit })
    expect([await late, await steering.steer('Still there?'), model.calls.length]).toEqual([false, false, 1])
  })
})

describe('a run', () => {
  it('takes messages itself, as a promise and as a stream', async () => {
    const { agent, model } = helper([call('look'), 'fine'])
    const started = Promise.withResolvers<void>()
    const isSteered = Promise.withResolvers<void>()
    const look = doing('look', async () => {
      started.resolve()
      await isSteered.promise
    })
    const run = agent.run('Go', { tools: look })
    await started.promise
    const taken = run.steer('Be quick')
    isSteered.resolve()
    await run
    expect([await taken, await run.steer('Too late')]).toEqual([true, false])
    expect(asked(model)[1]).toContain('user: Be quick')

    const stream = agent.runStream('Go')
    const early = stream.steer('In French')
    await stream.result
    expect([await early, await stream.steer('Too late')]).toEqual([true, false])
    expect(asked(model)[2]).toEqual(['user: Go', 'user: In French'])
  })

  it('gives false where its run never begins: it is refused, stopped before, or a stream that is left', async () => {
    const { agent } = helper(['fine'])
    const steered: { readonly steer: (text: string) => Promise<boolean> }[] = []
    for (const [message, signal] of [['', undefined] as const, ['Go', AbortSignal.abort()] as const]) {
      const run = agent.run(message, { signal })
      steered.push(run)
      const early = run.steer('Hi')
      await expect(run).rejects.toThrow()
      expect(await early).toBe(false)
    }
    const [left, cancelled, stopped] = [agent.runStream('Go'), agent.runStream('Go'), agent.runStream('Go')]
    steered.push(left, cancelled, stopped)
    const early = [left, cancelled, stopped].map(async (stream) => await stream.steer('Hi'))
    await left.return(undefined as never)
    await cancelled.textStream.cancel()
    await expect(stopped.throw(new Error('no'))).rejects.toThrow('no')
    expect(await Promise.all(early)).toEqual([false, false, false])
    expect(await Promise.all(steered.map(async (each) => await each.steer('Late')))).toEqual(steered.map(() => false))
  })

  it('does not let a stream begin that nobody reads', async () => {
    const { agent, model } = helper(['fine'])
    const stream = agent.runStream('Go')
    const taken = stream.steer('In French')
    await new Promise((resolve) => void setImmediate(resolve))
    expect(model.calls).toEqual([])
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect([await taken, types[0], types.at(-1)]).toEqual([true, 'chatStart', 'chatEnd'])
  })

  it('refuses messages that say nothing', async () => {
    const steering = new Steering()
    for (const text of ['', ' \n', 3 as never]) {
      await expect(steering.steer(text)).rejects.toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    }
    const own = { take: () => [] }
    const { agent } = helper(['fine'])
    const run = agent.run('Go', { steering: own })
    await expect(run.steer('Hi')).rejects.toThrow('of another make')
    await run
    await expect(agent.run('Go', { steering: {} as never })).rejects.toThrow(
      '`steering` is an object; give what steers',
    )
  })

  it('goes on from its messages, those that steered it included', async () => {
    const { agent, model } = helper(['fine'])
    const steering = new Steering()
    void steering.steer('In French')
    const { messages } = await agent.run('Go', { steering })
    await agent.run([...messages, { role: 'user', content: 'And now?' }])
    expect(asked(model)[1]).toEqual(['user: Go', 'user: In French', 'assistant: fine', 'user: And now?'])
  })

  it('leaves the context of its question and the hooks of its agent as they are', async () => {
    const model = scriptedModel(['fine'], { repeatLast: true })
    const agent = new ConversableAgent({ name: 'helper', llmConfig: model, humanInputMode: 'NEVER' })
    agent.registerHook('processAllMessagesBeforeReply', (messages) => messages.map((each) => ({ ...each })))
    const steering = new Steering()
    void steering.steer('In French')
    await agent.run({ content: 'Hi {name}', context: { name: 'Ann' } }, { steering })
    const [first] = model.calls
    expect(said(first!.messages.filter(({ role }) => role !== 'system'))).toEqual([
      'user: Hi {name}',
      'user: In French',
    ])
    expect(first!.messages.some((message) => 'context' in message)).toBe(false)
  })
})

describe('a chat', () => {
  const two = (
    replies: Replies,
  ): { ann: ConversableAgent; ben: ConversableAgent; models: ReturnType<typeof scriptedModel>[] } => {
    const models = [scriptedModel(replies, { repeatLast: true }), scriptedModel(['ok'], { repeatLast: true })]
    const [ann, ben] = ['ann', 'ben'].map(
      (name, index) => new ConversableAgent({ name, llmConfig: models[index]!, humanInputMode: 'NEVER', silent: true }),
    )
    return { ann: ann!, ben: ben!, models }
  }

  it('gives a message to the agent whose model is asked next', async () => {
    const { ann, ben, models } = two(['and?'])
    const steering = new Steering()
    const emit = (event: XEvent): void => {
      if (event.type === 'modelCallEnd' && event.agent === 'ben') void steering.steer('Shorter')
    }
    await ann.initiateChat(ben, { message: 'hi', maxTurns: 2, steering, emit })
    expect(asked(models[0]!)).toEqual([['assistant: hi', 'user: ok', 'user: Shorter']])
    expect(asked(models[1]!)[1]).toEqual(['user: hi', 'assistant: ok', 'user: and?'])
  })

  it('in a tool gets a message for the run around it', async () => {
    const inner = helper(['inner answer'])
    const steering = new Steering()
    const outer = helper([call('ask'), 'fine'])
    const ask = doing('ask', async (run) => {
      void steering.steer('For whoever is next')
      return (await inner.agent.run('Sub', { run })).text
    })
    await outer.agent.run('Go', { tools: ask, steering })
    expect(asked(inner.model)).toEqual([['user: Sub', 'user: For whoever is next']])
    expect(asked(outer.model)[1]).toEqual(['user: Go', 'assistant: call', 'tool: inner answer'])
  })

  it('of a queue gets the messages of the queue', async () => {
    const { ann, ben, models } = two(['and?'])
    const steering = new Steering()
    void steering.steer('Shorter')
    const queue = [{ chatId: 1, sender: ann, recipient: ben, message: 'hi', maxTurns: 1 }]
    await initiateChats(queue, { steering })
    expect(asked(models[1]!)).toEqual([['user: hi', 'user: Shorter']])
    expect(await steering.steer('Too late')).toBe(false)
  })
})

/** Deeds of a model, one for each of its questions: it answers, calls a tool, or calls an agent in a tool. */
type Line = 'look' | 'ask' | 'fine'

interface Plan {
  readonly lines: readonly Line[]
  /** For each message, the number of answers of models behind which it comes. */
  readonly after: readonly number[]
}

const plans: fc.Arbitrary<Plan> = fc.record({
  lines: fc.array(fc.constantFrom<Line>('look', 'look', 'ask'), { maxLength: 4 }),
  after: fc.array(fc.nat(6), { minLength: 1, maxLength: 4 }),
})

/** Runs a plan from a journal to its end, as a process does. */
async function runPlan(
  { lines, after }: Plan,
  entries: readonly JournalEntry[],
): Promise<{ readonly outcome: unknown; readonly moments: readonly JournalEntry[][]; readonly requests: string[] }> {
  const written: JournalEntry[] = [...entries]
  const moments: JournalEntry[][] = [[...written]]
  const journal = ChatJournal.load(
    { version: 3, kind: 'chat', entries: structuredClone(written) },
    {
      onEntry: (entry) => {
        written.push(structuredClone(entry))
        moments.push([...written])
      },
    },
  )
  // As a store of messages: what the journal has is taken.
  const steering: SteeringSource = {
    take() {
      const answers = written.filter(({ kind }) => kind === 'model').length
      const known = JSON.stringify(written.filter(({ name }) => name?.startsWith('steering')))
      return after.flatMap((count, index) =>
        count <= answers && !known.includes(`message ${index}`) ? [{ text: `message ${index}` }] : [],
      )
    },
  }
  const requests: string[] = []
  const agentOf = (name: string, plan: readonly Line[]): Agent =>
    createAgent({
      name,
      model: functionModel(({ messages }) => {
        requests.push(`${name}: ${said(messages).join(', ')}`)
        const line = plan[messages.filter(({ role }) => role === 'tool').length] ?? 'fine'
        return line === 'fine' ? `${name} is fine` : call(line, `c${messages.length}`)
      }),
    })
  const look = doing('look', () => 'seen')
  const ask = doing('ask', async (run) => (await agentOf('expert', ['look']).run('Sub', { run, tools: look })).text)
  const { messages, text } = await agentOf('helper', lines).run('Go', { tools: [look, ask], journal, steering })
  return { outcome: { text, messages: said(messages) }, moments, requests }
}

it('comes out as if it had not been killed, whenever a message came', async () => {
  await fc.assert(
    fc.asyncProperty(plans, async (plan) => {
      const whole = await runPlan(plan, [])
      for (const moment of whole.moments) {
        const resumed = await runPlan(plan, moment)
        expect(resumed.outcome).toEqual(whole.outcome)
        // What is asked again is asked the same.
        expect(resumed.requests).toEqual(whole.requests.slice(whole.requests.length - resumed.requests.length))
      }
    }),
    { numRuns: 60 },
  )
})

it('tells a message once, and a damaged one in a journal ends the run', async () => {
  const kept: JournalEntry[] = []
  const journal = new ChatJournal({ onEntry: (entry) => void kept.push(entry) })
  const { agent } = helper([call('look'), 'fine'])
  const steering = new Steering()
  void steering.steer('Be quick')
  const events: XEvent[] = []
  const tools = doing('look', () => 'seen')
  await agent.run('Go', { tools, journal, steering, emit: (event) => void events.push(event) })
  const again = ChatJournal.load({ version: 3, kind: 'chat', entries: kept })
  const other = helper(['never asked'])
  const { text } = await other.agent.run('Go', { tools, journal: again, emit: (event) => void events.push(event) })
  expect([text, steeringEvents(events), other.model.calls.length]).toEqual(['fine', ['helper: Be quick'], 0])

  const damaged = new ChatJournal()
  for (const { place, kind, name, value } of kept.filter(({ kind }) => kind !== 'model')) {
    await damaged.keep({ place, kind, ...(name !== undefined && { name }), value: kind === 'job' ? [3] : value })
  }
  await expect(helper(['x']).agent.run('Go', { tools, journal: damaged })).rejects.toThrow('are damaged')
})
