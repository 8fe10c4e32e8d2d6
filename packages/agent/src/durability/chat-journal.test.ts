import type {
  ChatMessage,
  ChatOptions,
  ChatResult,
  Io,
  JournalEntry,
  ReplyInput,
  ReplyOutcome,
  XEvent,
} from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ChatJournal, ConversableAgent, tool, type ChatState } from '../index.ts'
import { timeless } from '../recording-io.fake.ts'

/** What the outside world has seen: it survives the processes. */
interface World {
  readonly ran: string[]
}

/** A chat with parallel tools, one of which starts a chat of its own, nested chats, hooks and a human. */
function program(world: World, { approval = false }: { approval?: boolean } = {}) {
  const io: Io = {
    send: () => {},
    input: async () => {
      world.ran.push('human')
      return 'go on'
    },
  }
  const agent = (name: string, options: { humanInputMode?: 'ALWAYS' } = {}): ConversableAgent =>
    new ConversableAgent({ name, io, humanInputMode: 'NEVER', ...options, contextVariables: { seen: 0 } })
  const [user, assistant] = [agent('user'), agent('assistant')]
  const [critic, researcher, archive] = [
    agent('critic', { humanInputMode: 'ALWAYS' }),
    agent('researcher'),
    agent('archive'),
  ]
  const says = (its: ConversableAgent, reply: (messages: readonly ChatMessage[]) => ReplyOutcome): void =>
    its.registerReply(
      () => true,
      async (_: ConversableAgent, { messages }: ReplyInput) => {
        world.ran.push(`reply of ${its.name}`)
        await Promise.resolve()
        return reply(messages)
      },
      { position: 4 },
    )
  const call = (id: string, name: string, args: object): NonNullable<ChatMessage['tool_calls']>[number] => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  })
  says(assistant, (messages) => {
    const last = messages.at(-1)!
    if (last.role === 'tool') return [true, `It is ${JSON.stringify(last.content)}`]
    return [
      true,
      {
        content: null,
        tool_calls: [call('a', 'weather', { city: 'Oslo' }), call('b', 'research', { topic: 'fjords' })],
      },
    ]
  })
  says(researcher, (messages) => [true, messages.length > 1 ? 'found TERMINATE' : 'looking'])
  says(archive, () => [true, 'the archive says: deep'])
  user.registerForExecution(
    tool({
      name: 'weather',
      description: 'The weather.',
      parameters: z.object({ city: z.string() }),
      needsApproval: approval,
      execute: async ({ city }) => {
        world.ran.push(`weather ${city}`)
        user.setContext('seen', Number(user.getContext('seen')) + 1)
        await Promise.resolve()
        return { sky: `grey over ${city}, seen ${String(user.getContext('seen'))}` }
      },
    }),
  )
  user.registerForExecution(
    tool({
      name: 'research',
      description: 'Asks the archive.',
      parameters: z.object({ topic: z.string() }),
      execute: async ({ topic }, { run }) => {
        world.ran.push(`research ${topic}`)
        const { summary } = await archive.initiateChat(researcher, { message: topic, maxTurns: 2, run })
        return summary
      },
    }),
  )
  user.registerNestedChats([{ recipient: critic, maxTurns: 1, summaryMethod: 'last_msg' }], assistant, { position: 99 })
  user.registerHook('processMessageBeforeSend', ({ message }) => {
    world.ran.push('hook')
    return message
  })
  return {
    user,
    assistant /** A tool that has answered is not run again, nor are the agents that it asked. */,
    agents: [user, assistant, critic],
  }
}

const options: ChatOptions = { message: 'How is Oslo?', maxTurns: 3, clearHistory: true }

const transcript = ({ agents }: ReturnType<typeof program>): unknown =>
  agents.map(({ name, chatMessages }) => [name, [...chatMessages].map(([other, messages]) => [other?.name, messages])])

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

async function undisturbed() {
  const world: World = { ran: [] }
  const its = program(world)
  const journal = new ChatJournal()
  const events: XEvent[] = []
  const stream = its.user.initiateChatStream(its.assistant, { ...options, journal })
  let result: ChatResult
  for (;;) {
    const item = await stream.next()
    if (item.done) {
      result = item.value
      break
    }
    events.push(item.value)
  }
  return { world, events, result, transcript: transcript(its), state: json(journal.saveState()) }
}

/** Events that tell of calls whose places an approval moves, and of what it suspends. */
const OF_APPROVALS = /^(?:approvalRequested|tool(?:Start|End)|(?:chat|reply)End)$/u

describe('a chat with a journal', () => {
  it('comes out as one without', async () => {
    const whole = await undisturbed()
    const its = program({ ran: [] })
    const plain = await its.user.initiateChat(its.assistant, options)
    expect(whole.result).toEqual(plain)
    expect(whole.transcript).toEqual(transcript(its))
    expect(whole.events.length).toBeGreaterThan(10)
    expect(whole.world.ran).toEqual(expect.arrayContaining(['weather Oslo', 'research fjords', 'human']))
  })

  it.each([false, true])(
    'killed after each of its events, goes on and comes out the same (approvals: %s)',
    async (approval) => {
      const whole = await undisturbed()
      for (let at = 0; ; at++) {
        const world: World = { ran: [] }
        const first = program(world, { approval })
        const journal = new ChatJournal()
        const stream = first.user.initiateChatStream(first.assistant, { ...options, journal })
        const seen: XEvent[] = []
        for (let index = 0; index <= at; index++) {
          const item = await stream.next()
          if (!item.done) seen.push(item.value)
        }
        // The process ends here: what it would do afterwards does not count.
        let saved = json(journal.saveState())
        const ran = [...world.ran]
        await stream.return(undefined as never)

        const events: XEvent[] = []
        for (;;) {
          const later: World = { ran: [] }
          const next = program(later, { approval })
          const resumed = ChatJournal.load(saved)
          for (const { id } of resumed.pending) await resumed.decide(id, { allow: true })
          const emit = (event: XEvent): void => void events.push(event)
          const result = await next.user.initiateChat(next.assistant, { ...options, journal: resumed, emit })
          ran.push(...later.ran)
          saved = json(resumed.saveState())
          if (result.terminationReason === 'suspended') continue
          expect(result).toEqual(whole.result)
          expect(transcript(next)).toEqual(whole.transcript)
          break
        }
        for (const { name } of saved.entries.filter(({ kind }) => kind === 'tool')) {
          // A tool that had not answered may run again; one that had does not.
          const times = ran.filter((each) => each.startsWith(`${name} `)).length
          expect(times).toBeLessThanOrEqual(2)
          expect(times).toBeGreaterThan(0)
        }
        // Every event is sent; those between the last answer and the end of the process may come twice.
        const ids = (list: readonly XEvent[]): Set<string> =>
          new Set(list.filter(({ type }) => !(approval && OF_APPROVALS.test(type))).map(timeless))
        expect(ids([...seen, ...events])).toEqual(ids(whole.events))
        if (seen.length <= at) break
      }
    },
  )

  it('runs no tool again that has answered', async () => {
    const whole = await undisturbed()
    for (const [index, { kind, name }] of whole.state.entries.entries()) {
      if (kind !== 'tool') continue
      const world: World = { ran: [] }
      const its = program(world)
      const journal = ChatJournal.load({ ...whole.state, entries: whole.state.entries.slice(0, index + 1) })
      await its.user.initiateChat(its.assistant, { ...options, journal })
      expect(world.ran.filter((each) => each.startsWith(`${name} `))).toEqual([])
    }
  })

  it('keeps every answer where it survives the process, before the chat goes on', async () => {
    const lines: string[] = []
    const its = program({ ran: [] })
    const journal = new ChatJournal({ onEntry: async (entry) => void lines.push(JSON.stringify(entry)) })
    await its.user.initiateChat(its.assistant, { ...options, journal })
    expect(lines.map((line) => JSON.parse(line) as JournalEntry)).toEqual(journal.saveState().entries)
  })

  it('belongs to one run of the chat at a time', async () => {
    const journal = new ChatJournal()
    const its = program({ ran: [] })
    const first = its.user.initiateChat(its.assistant, { ...options, journal })
    const other = program({ ran: [] })
    await expect(other.user.initiateChat(other.assistant, { ...options, journal })).rejects.toMatchObject({
      code: 'invalid-state',
    })
    const { result } = await undisturbed()
    expect(await first).toEqual(result)
    const stop = new AbortController()
    const again = new ChatJournal()
    const next = program({ ran: [] })
    const stopped = next.user.initiateChat(next.assistant, { ...options, journal: again, signal: stop.signal })
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
    expect(await next.user.initiateChat(next.assistant, { ...options, journal: again })).toEqual(result)
  })

  it('goes on from every entry', async () => {
    const whole = await undisturbed()
    for (let length = 0; length <= whole.state.entries.length; length++) {
      const world: World = { ran: [] }
      const its = program(world)
      const journal = ChatJournal.load({ ...whole.state, entries: whole.state.entries.slice(0, length) })
      expect(await its.user.initiateChat(its.assistant, { ...options, journal })).toEqual(whole.result)
      expect(transcript(its)).toEqual(whole.transcript)
    }
    const world: World = { ran: [] }
    const its = program(world)
    await its.user.initiateChat(its.assistant, { ...options, journal: ChatJournal.load(whole.state) })
    expect(world.ran).toEqual([])
  })

  it('is written by `JSON.stringify` as it is saved', async () => {
    const { state } = await undisturbed()
    expect(JSON.parse(JSON.stringify(ChatJournal.load(state)))).toEqual(state)
  })

  it('refuses to go on as another chat', async () => {
    const { state } = await undisturbed()
    const its = program({ ran: [] })
    const chat = its.user.initiateChat(its.assistant, {
      ...options,
      message: 'other',
      journal: ChatJournal.load(state),
    })
    await expect(chat).rejects.toMatchObject({ code: 'invalid-state' })
    const turned = its.assistant.initiateChat(its.user, { ...options, journal: ChatJournal.load(state) })
    await expect(turned).rejects.toMatchObject({ code: 'invalid-state' })
  })

  it.each<[string, unknown, object]>([
    ['a version that is not known', { version: 1, kind: 'chat', entries: [] }, { code: 'unknown-state-version' }],
    ['no entries', { version: 3, kind: 'chat' }, { code: 'invalid-state' }],
    ['a text', '{}', { message: expect.stringContaining('gave, read with `JSON.parse(text)`') }],
    ['an object of something else', {}, { message: expect.stringContaining('what `saveState()` of a journal gave') }],
    ['nothing', null, { code: 'invalid-state' }],
    ['an agent', { version: 2, kind: 'agent' }, { code: 'invalid-state' }],
    [
      'an entry without a place',
      {
        version: 3,
        kind: 'chat',
        entries: [
          { place: '1', kind: 'reply', value: null },
          { kind: 'reply', value: 1 },
        ],
      },
      { code: 'invalid-state', details: expect.objectContaining({ path: ['entries', 1] }) },
    ],
  ])('refuses %s', (_, saved, error) => {
    expect(() => ChatJournal.load(saved)).toThrow(expect.objectContaining(error))
  })
})

describe('an approval', () => {
  async function suspended(): Promise<{ saved: ChatState; ran: string[] }> {
    const world: World = { ran: [] }
    const its = program(world, { approval: true })
    const journal = new ChatJournal()
    const events: XEvent[] = []
    const emit = (event: XEvent): void => void events.push(event)
    const result = await its.user.initiateChat(its.assistant, { ...options, journal, emit })
    expect(result.terminationReason).toBe('suspended')
    expect(journal.pending).toEqual([
      expect.objectContaining({
        agent: 'user',
        action: expect.objectContaining({ name: 'weather', arguments: { city: 'Oslo' } }),
      }),
    ])
    expect(events).toContainEqual(expect.objectContaining({ type: 'approvalRequested', id: journal.pending[0]!.id }))
    return { saved: json(journal.saveState()), ran: world.ran }
  }

  async function resumed(saved: ChatState, journal = ChatJournal.load(saved)) {
    const world: World = { ran: [] }
    const its = program(world, { approval: true })
    const result = await its.user.initiateChat(its.assistant, { ...options, journal })
    return { world, result, journal }
  }

  it('suspends the chat before anything runs; calls beside it are made', async () => {
    const { ran } = await suspended()
    expect(ran).toContain('research fjords')
    expect(ran.filter((each) => each.startsWith('weather'))).toEqual([])
  })

  it('is waited for as long as it takes', async () => {
    const { saved } = await suspended()
    const { world, result, journal } = await resumed(saved)
    expect(result.terminationReason).toBe('suspended')
    expect(journal.saveState()).toEqual(saved)
    expect(world.ran).toEqual([])
  })

  it('allowed in another process, lets the chat come out as one that needs none', async () => {
    const { saved, ran } = await suspended()
    const journal = ChatJournal.load(saved)
    await journal.decide(journal.pending[0]!.id, { allow: true })
    expect(journal.pending).toEqual([])
    const { world, result } = await resumed(saved, ChatJournal.load(json(journal.saveState())))
    const whole = await undisturbed()
    expect(result.terminationReason).not.toBe('suspended')
    expect(
      ran
        .concat(world.ran)
        .filter((each) => /^(?:weather|research)/u.test(each))
        .toSorted(),
    ).toEqual(whole.world.ran.filter((each) => /^(?:weather|research)/u.test(each)).toSorted())
  })

  it('denied, tells the model why', async () => {
    const { saved } = await suspended()
    const journal = ChatJournal.load(saved)
    await journal.decide(journal.pending[0]!.id, { allow: false, reason: 'no weather today' })
    const { result, world } = await resumed(saved, journal)
    expect(JSON.stringify(result.chatHistory)).toContain('was denied: no weather today')
    expect(world.ran.filter((each) => each.startsWith('weather'))).toEqual([])
  })

  it('allowed with other arguments, runs with these', async () => {
    const { saved } = await suspended()
    const journal = ChatJournal.load(saved)
    await journal.decide(journal.pending[0]!.id, { allow: true, arguments: { city: 'Bergen' } })
    const { world } = await resumed(saved, journal)
    expect(world.ran).toContain('weather Bergen')
    expect(world.ran).not.toContain('weather Oslo')
  })

  it('is decided once', async () => {
    const { saved } = await suspended()
    const journal = ChatJournal.load(saved)
    const { id } = journal.pending[0]!
    await journal.decide(id, { allow: false })
    await expect(journal.decide(id, { allow: true })).rejects.toMatchObject({ code: 'invalid-state' })
    await expect(journal.decide('1.99', { allow: true })).rejects.toMatchObject({ code: 'invalid-state' })
    await expect(ChatJournal.load(saved).decide(id, {} as never)).rejects.toMatchObject({ code: 'invalid-argument' })
  })
})
