import { ChatJournal, tool, toolContent } from '@x/agent'
import type { ContentPart, JournalEntry, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { lines, member, quiet } from '../fakes.fake.ts'
import { groupTool } from '../handoff/context-variables.ts'
import { askUser, functionTarget, nestedChat, randomAgent, replyResult, revertToUser } from '../handoff/target.ts'
import { initiateGroupChat, initiateGroupChatSync } from '../initiate-group-chat.ts'
import { defaultPattern, groupChat, roundRobinPattern } from './pattern.ts'

/** The number of external calls by their target. */
type Asked = Record<string, number>

interface Variables {
  step: number
  paid: boolean
}

const call = (name: string, args: object = {}) => ({
  tool_calls: [{ id: 'c', type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }],
})

/** Makes a group, for one process, that hands over in every way. */
function createWorld(asked: Asked, { needsApproval = false } = {}) {
  const count = (who: string): number => (asked[who] = (asked[who] ?? 0) + 1)
  const llmConfig = functionModel(({ agent }) => {
    const turn = count(`model of ${agent}`)
    if (agent === 'a')
      return (
        ([call('note'), call('transfer_to_wrapped_nested_a_1_1'), call('transfer_to_random_2')] as const)[turn - 1] ??
        'a at the end'
      )
    return agent === 'speaker_selection_agent' ? 'b' : `${agent} ${turn}`
  })
  const note = groupTool<Variables>()({
    name: 'note',
    description: 'Notes a step.',
    needsApproval,
    execute: (_, { contextVariables, caller }) => {
      contextVariables.set('step', contextVariables.get('step') + 1)
      return replyResult<Variables>({
        message: `noted ${count('note')} for ${caller.name}`,
        contextVariables: { paid: true },
      })
    },
  })
  const io = {
    send: () => {},
    input: (prompt: string) => (prompt.startsWith('Number') ? '3' : `typed ${count('person')}`),
  }
  const a = member('a', { llmConfig, functions: note })
  const [b, c, x, y, z] = ['b', 'c', 'x', 'y', 'z'].map((name) => member(name, { llmConfig }))
  const user = member('user', { humanInputMode: 'ALWAYS', io })
  const team = roundRobinPattern({ initialAgent: y!, agents: [y!, z!], groupManagerArgs: { io } })
  const ask = groupChat(team, { maxRounds: 3 })
  const decide = functionTarget<Variables>(({ variables }) => ({
    target: ask,
    message: `decided ${count('decide')} at ${variables.step}`,
    contextVariables: { step: variables.step + 10 },
  }))
  const guard = { name: 'guard', check: () => (count('guard') === 1 ? 'too early' : false) as false | string, to: 'a' }
  const random = () => (count('random') * 0.37) % 1
  const pattern = defaultPattern<Variables>({
    initialAgent: a,
    userAgent: { agent: user, handoffs: [{ to: 'a', after: true }] },
    contextVariables: { step: 0, paid: false },
    targets: [ask],
    agents: [
      {
        agent: a,
        handoffs: [
          { to: nestedChat([{ recipient: x!, message: 'Work.', maxTurns: 1 }]), when: 'Ask x.' },
          { to: randomAgent([b!, c!]), when: 'Anybody.', available: (variables) => variables.paid },
          { to: c!, after: true },
        ],
      },
      {
        agent: b!,
        handoffs: [
          { to: askUser, after: (variables) => variables.step < 10 },
          { to: decide, after: true },
        ],
      },
      {
        agent: c!,
        inputGuardrails: [guard],
        handoffs: [
          { to: decide, after: (variables) => variables.step < 10 },
          { to: revertToUser, after: true },
        ],
      },
    ],
    groupManagerArgs: { llmConfig, io },
    random,
  })
  const start = (options: Parameters<typeof initiateGroupChat>[2], face: 'sync' | 'async' = 'async') =>
    face === 'sync'
      ? initiateGroupChatSync(pattern, 'Start', { maxRounds: 16, ...options })
      : initiateGroupChat(pattern, 'Start', { maxRounds: 16, ...options })
  return { start, agents: [a, b!, c!, x!, y!, z!, user] }
}

const entriesOf = (journal: ChatJournal): readonly JournalEntry[] => journal.saveState().entries

/** Runs a chat until its journal has a number of entries, where it hangs, and returns the entries. */
async function killedAt(world: ReturnType<typeof createWorld>, kept: number): Promise<ChatJournal> {
  const entries: JournalEntry[] = []
  const { promise: killed, resolve } = Promise.withResolvers<void>()
  const onEntry = (entry: JournalEntry): Promise<void> | undefined => {
    entries.push(entry)
    if (entries.length < kept) return undefined
    resolve()
    return new Promise(() => {})
  }
  if (kept > 0) {
    void world.start({ journal: new ChatJournal({ onEntry }), runId: 'run' })
    await killed
  }
  return ChatJournal.parse(entries.map((entry) => JSON.stringify(entry)).join('\n'))
}

describe('a group with a pattern and a journal', () => {
  it('resumes from every entry in another process', async () => {
    const asked: Asked = {}
    const journal = new ChatJournal()
    const expected = await createWorld(asked).start({ journal, runId: 'run' })
    expect(lines(expected.messages)).toMatchInlineSnapshot(`
      [
        "user: "Start"",
        "a: null",
        "_Group_Tool_Executor: "noted 1 for a"",
        "a: null",
        "_Group_Tool_Executor: "Transfer to wrapped_nested_a_1"",
        "wrapped_nested_a_1: "x 1"",
        "a: null",
        "_Group_Tool_Executor: "Transfer to b"",
        "b: "b 1"",
        "c: "Guardrail 'guard' has been activated.\\nJustification: too early"",
        "a: "a at the end"",
        "c: "c 1"",
        "wrapped_group_c_1: "z 1"",
        "c: "c 2"",
        "user: "typed 1"",
        "a: "a at the end"",
      ]
    `)
    const { length } = entriesOf(journal)
    for (let kept = 0; kept <= length; kept++) {
      const askedBefore: Asked = {}
      const prefix = await killedAt(createWorld(askedBefore), kept)
      const resumed = await createWorld(askedBefore).start({ journal: prefix, runId: 'run' })
      expect(resumed, `after ${kept} entries`).toEqual(expected)
      expect(askedBefore, `after ${kept} entries`).toEqual(asked)
    }
  })

  it.each(['sync', 'async'] as const)(
    'is suspended by an approval, and goes on with the decision (%s)',
    async (face) => {
      const journal = new ChatJournal()
      const asked: Asked = {}
      const waiting = await createWorld(asked, { needsApproval: true }).start({ journal, maxRounds: 4 }, face)
      expect(waiting.terminationReason).toBe('suspended')
      expect(asked['note']).toBeUndefined()
      const [{ id, agent } = { id: '', agent: '' }] = journal.pending
      expect(agent).toBe('a')
      await journal.decide(id, { allow: true })
      const resumed = await createWorld(asked, { needsApproval: true }).start({ journal, maxRounds: 4 }, face)
      expect(lines(resumed.messages).slice(0, 3)).toEqual([
        'user: "Start"',
        'a: null',
        '_Group_Tool_Executor: "noted 1 for a"',
      ])
    },
  )
})

it('a handoff may need approval, and the model reads a denial', async () => {
  const make = () => {
    const llmConfig = functionModel(({ messages }) => {
      const last = messages.at(-1)
      return last?.role === 'tool' ? `read: ${last.content as string}` : call('transfer_to_b_1')
    })
    const [a, b] = [member('a', { llmConfig }), member('b')]
    const handoffs = [{ to: b, when: 'Go.', needsApproval: true }]
    return defaultPattern({ initialAgent: a, agents: [{ agent: a, handoffs }, b], groupManagerArgs: { io: quiet } })
  }
  for (const [allow, last] of [
    [true, 'b: "from b"'],
    [false, 'a: "read: Error: the call of transfer_to_b_1 was denied: not now"'],
  ] as const) {
    const journal = new ChatJournal()
    expect((await initiateGroupChat(make(), 'Start', { journal })).terminationReason).toBe('suspended')
    await journal.decide(journal.pending[0]!.id, allow ? { allow } : { allow, reason: 'not now' })
    const { messages } = await initiateGroupChat(make(), 'Start', { journal, maxRounds: 4 })
    expect(messages[2]?.content).toBe(
      allow ? 'Transfer to b' : 'Error: the call of transfer_to_b_1 was denied: not now',
    )
    expect(lines(messages)[3]).toBe(last)
  }
})

it('an abort leaves no open call in any history', async () => {
  const stop = new AbortController()
  const world = createWorld({})
  const emit = (event: XEvent): void => {
    if (event.type === 'executeFunction') stop.abort()
  }
  await expect(world.start({ signal: stop.signal, emit })).rejects.toMatchObject({ code: 'aborted' })
  for (const agent of world.agents.slice(0, 3)) {
    for (const messages of agent.chatMessages.values()) expect(messages.at(-1)).toMatchObject({ role: 'tool' })
  }
})

it('an agent takes part in two groups at once, and in one group twice', async () => {
  const shared = member('shared', { llmConfig: functionModel(({ messages }) => `of ${messages.length}`) })
  const other = member('other')
  const run = (name: string) =>
    initiateGroupChat(
      defaultPattern({
        initialAgent: shared,
        agents: [{ agent: shared, handoffs: [{ to: other, when: `Go, ${name}.` }] }, other],
        contextVariables: { name },
        groupManagerArgs: { io: quiet },
      }),
      name,
    )
  const [one, two] = await Promise.all([run('one'), run('two')])
  expect([one, two].map(({ messages }) => lines(messages))).toEqual([
    ['_User: "one"', 'shared: "of 2"'],
    ['_User: "two"', 'shared: "of 2"'],
  ])
  expect([one.contextVariables, two.contextVariables]).toEqual([{ name: 'one' }, { name: 'two' }])
  expect(shared.replyFuncList).toEqual(member('fresh').replyFuncList)
  expect(shared.llmConfig).toMatchObject({ config: {} })
})

it('the image of a tool reaches models and the journal, by one call', async () => {
  const image: ContentPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
  const seen: ContentPart[] = [{ type: 'text', text: 'page' }, image]
  let made = 0
  const build = (told: unknown[]) => {
    const look = tool({ name: 'look', description: 'looks', execute: () => (made++, toolContent(seen)) })
    const llmConfig = functionModel(({ messages }) => {
      const result = messages.find(({ role }) => role === 'tool')
      if (!result) return call('look')
      told.push(result.content)
      return 'seen'
    })
    const a = member('a', { llmConfig, functions: look })
    const b = member('b', { llmConfig })
    const agents = [{ agent: a, handoffs: [{ to: b, after: true as const }] }, b]
    return defaultPattern({ initialAgent: a, agents, groupManagerArgs: { io: quiet } })
  }
  const journal = new ChatJournal()
  const first: unknown[] = []
  const { messages } = await initiateGroupChat(build(first), 'Start', { journal })
  expect(first).toEqual([seen, seen])
  expect(messages[2]).toMatchObject({
    content: 'page\n[image: image/png, 8 bytes]',
    tool_responses: [{ role: 'tool', tool_call_id: 'c', content: seen }],
  })
  const { entries } = journal.saveState()
  const kept = entries.slice(0, entries.findIndex(({ kind }) => kind === 'tool') + 1)
  const again: unknown[] = []
  const saved: unknown = JSON.parse(JSON.stringify({ version: 3, kind: 'chat', entries: kept }))
  await initiateGroupChat(build(again), 'Start', { journal: ChatJournal.load(saved) })
  expect([again, made]).toEqual([[seen, seen], 1])
})

it('a group with earlier messages is one run, however often it goes on', async () => {
  let entries: readonly JournalEntry[] = []
  const told: [runId: string | null, type: string][] = []
  const goOn = async (): Promise<string | null> => {
    const journal = ChatJournal.parse(entries.map((entry) => JSON.stringify(entry)).join('\n'))
    for (const { id } of journal.pending) await journal.decide(id, { allow: true })
    const pay = tool({ name: 'pay', description: 'Pays.', needsApproval: true, execute: () => 'paid' })
    const asks = functionModel(({ messages }) => (messages.at(-1)?.role === 'tool' ? 'done' : call('pay')))
    const clerk = member('clerk', { llmConfig: asks, functions: pay })
    const pattern = roundRobinPattern({ initialAgent: clerk, agents: [clerk] })
    const emit = ({ runId, type }: XEvent): void => void told.push([runId, type])
    const messages = [{ content: 'Hello.' }, { content: 'Pay.' }]
    const { terminationReason } = await initiateGroupChat(pattern, messages, { maxRounds: 3, journal, emit })
    ;({ entries } = journal.saveState())
    return terminationReason
  }
  expect([await goOn(), await goOn()]).toEqual(['suspended', 'max-rounds'])
  expect(new Set(told.map(([runId]) => runId))).toEqual(new Set([(entries[0]!.value as { runId: string }).runId]))
  expect(told.filter(([, type]) => type === 'groupChatResume')).toHaveLength(1)
})

it('a tool of a group needs its first parentheses empty', () => {
  const definition = { name: 'note', description: 'Notes.', execute: () => 'ok' } as never
  expect(() => groupTool(definition)).toThrow('write `groupTool<Variables>()({ … })`')
})

it('a tool with a time limit knows the variables and who calls', async () => {
  const note = groupTool<{ step: number }>()({
    name: 'note',
    description: 'Notes a step.',
    timeout: 60,
    execute: (_, { contextVariables, caller }) => {
      contextVariables.set('step', contextVariables.get('step') + 1)
      return `noted for ${caller.name}`
    },
  })
  const llmConfig = functionModel(({ messages }) => (messages.at(-1)!.role === 'tool' ? 'done' : call('note')))
  const a = member('a', { llmConfig, functions: note })
  const pattern = roundRobinPattern({ initialAgent: a, agents: [a], contextVariables: { step: 1 } })
  const { messages, contextVariables } = await initiateGroupChat(pattern, 'Start', { maxRounds: 3 })
  expect([messages[2]!.content, contextVariables]).toEqual(['noted for a', { step: 2 }])
})
