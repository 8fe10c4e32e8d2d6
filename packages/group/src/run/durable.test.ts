import { ChatJournal, tool, type ConversableAgent } from '@x/agent'
import type { ChatResult, JournalEntry } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { groupOf, member, quiet, type members } from '../fakes.fake.ts'
import type { GroupChatOptions } from '../group/group-options.ts'

/** The number of external calls by their target. */
type Asked = Record<string, number>

/** The agents of one process: a model that calls a tool, an executor, a person, and an agent with a reply function. */
function createWorld(asked: Asked, options: Partial<GroupChatOptions>, before: string[], clearHistory: boolean) {
  const count = (who: string): number => (asked[who] = (asked[who] ?? 0) + 1)
  const llmConfig = functionModel(({ messages, agent }) => {
    count(`model of ${agent}`)
    if (agent === 'speaker_selection_agent') return ['executor', 'person', 'guest', 'caller'][messages.length % 4]!
    const last = messages.at(-1)
    if (last?.role === 'tool') return `read ${JSON.stringify(last.content)}`
    return { tool_calls: [{ id: `c${messages.length}`, function: { name: 'look_up', arguments: '{}' } }] }
  })
  const caller = member('caller', { llmConfig })
  const executor = member('executor')
  executor.registerForExecution(
    tool({
      name: 'look_up',
      description: 'Looks it up.',
      execute: () => {
        count('look_up')
        executor.setContext('looked', Number(executor.getContext('looked', 0)) + 1)
        return `value ${String(executor.getContext('looked'))}`
      },
    }),
  )
  const person = member('person', {
    humanInputMode: 'ALWAYS',
    io: { send: () => {}, input: () => `typed ${count('person')}` },
  })
  const guest = member('guest')
  guest.registerReply(
    () => true,
    () => [true, { content: `guest ${count('guest')}`, context: { n: 1 } }],
  )
  const { group, manager } = groupOf([caller, executor, person, guest], { maxRound: 9, ...options }, { llmConfig })
  for (const content of before) group.append({ content, role: 'user' }, guest)
  const agents: Record<string, ConversableAgent> = { caller, executor, person, guest }
  const start = (journal: ChatJournal, face: 'sync' | 'async' = 'async'): Promise<ChatResult> | ChatResult => {
    const chat = { message: 'hi', journal, clearHistory, runId: 'run' }
    return face === 'sync' ? guest.initiateChatSync(manager, chat) : guest.initiateChat(manager, chat)
  }
  const seen = (chat: ChatResult): unknown => ({
    chat,
    group: group.messages,
    histories: Object.values(agents).map((agent) => [agent.chatMessages.get(manager), manager.chatMessages.get(agent)]),
    looked: executor.getContext('looked', 0),
    lastSpeaker: manager.lastSpeaker?.name,
  })
  return { start, seen }
}

const entriesOf = (journal: ChatJournal): readonly JournalEntry[] => journal.saveState().entries
const SPEAKER_SELECTION_METHODS: readonly (readonly [string, (asked: Asked) => Partial<GroupChatOptions>])[] = [
  ['round_robin', () => ({})],
  ['auto', () => ({ speakerSelectionMethod: 'auto', allowRepeatSpeaker: false })],
  [
    'random',
    (asked) => ({
      speakerSelectionMethod: 'random',
      random: () => ((asked['random'] = (asked['random'] ?? 0) + 1) * 0.37) % 1,
    }),
  ],
  [
    'a function',
    (asked) => ({
      speakerSelectionMethod: async (_, { agents }) => agents[(asked['pick'] = (asked['pick'] ?? 0) + 1) % 3]!,
    }),
  ],
]

describe.each(SPEAKER_SELECTION_METHODS)('a group chat with a journal, speakers by %s', (_, optionsFor) => {
  it.each([[[]], [['said before', 'and this']]])(
    'goes on from every entry, in another process (%j)',
    async (before) => {
      const clears = before.length === 0
      const asked: Asked = {}
      const whole = createWorld(asked, optionsFor(asked), before, clears)
      const journal = new ChatJournal()
      const expected = whole.seen(await whole.start(journal))
      const length = entriesOf(journal).length
      expect(length).toBeGreaterThan(8)
      for (let kept = 0; kept <= length; kept++) {
        // Recorded calls are not repeated: the counters go on where they stopped.
        const askedBefore: Asked = {}
        const stopped = createWorld(askedBefore, optionsFor(askedBefore), before, clears)
        const prefix = await killedAt(stopped, kept)
        // The other process has none of the earlier messages.
        const resumed = createWorld(askedBefore, optionsFor(askedBefore), kept > 3 ? [] : before, clears)
        expect(resumed.seen(await resumed.start(prefix))).toEqual(expected)
        expect(askedBefore).toEqual(asked)
      }
    },
  )
})

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
    void world.start(new ChatJournal({ onEntry }))
    await killed
  }
  return ChatJournal.parse(entries.map((entry) => JSON.stringify(entry)).join('\n'))
}

describe('an approval in a group', () => {
  it.each(['sync', 'async'] as const)('suspends the group and the chats around it (%s)', async (face) => {
    const done: string[] = []
    const make = () => {
      const executor = member('executor')
      executor.registerForExecution(
        tool({
          name: 'pay',
          description: 'Pays.',
          needsApproval: true,
          execute: () => {
            done.push('paid')
            return 'paid'
          },
        }),
      )
      const { group, manager } = groupOf([member('a'), executor, member('c')], { maxRound: 3 })
      const [boss, clerk] = [member('boss'), member('clerk')]
      const call = { content: 'please', tool_calls: [{ id: '1', function: { name: 'pay', arguments: '{}' } }] }
      clerk.registerNestedChats([{ recipient: manager, message: call, maxTurns: 1 }], boss)
      const start = (journal: ChatJournal): Promise<ChatResult> | ChatResult => {
        const options = { message: 'pay them', maxTurns: 1, journal }
        return face === 'sync' ? boss.initiateChatSync(clerk, options) : boss.initiateChat(clerk, options)
      }
      return { start, group }
    }
    const journal = new ChatJournal()
    expect((await make().start(journal)).terminationReason).toBe('suspended')
    expect(done).toEqual([])
    const [{ id, agent } = { id: '', agent: '' }] = journal.pending
    expect(agent).toBe('executor')
    await journal.decide(id, { allow: true })
    const resumed = make()
    const chat = await resumed.start(journal)
    expect(chat.summary).toBe('from c')
    expect(done).toEqual(['paid'])
    expect(resumed.group.messages).toHaveLength(3)
  })
})

it('refuses to resume with other members', async () => {
  const journal = new ChatJournal()
  const start = async (agents: ReturnType<typeof members>): Promise<unknown> =>
    await agents[0]!.initiateChat(groupOf(agents, { io: quiet }).manager, { message: 'hi', journal })
  await start([member('a'), member('b')])
  await expect(start([member('a'), member('c')])).rejects.toMatchObject({ code: 'invalid-state' })
})
