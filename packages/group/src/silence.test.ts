import { consoleIo } from '@x/agent'
import type { ChatMessage, ChatResult, Listener, XEvent } from '@x/interfaces'
import { scriptedModel } from '@x/testing'
import { afterEach, expect, it, vi } from 'vitest'
import { GroupChatManager } from './group-chat-manager.ts'
import { GroupChat } from './group-chat.ts'
import { initiateGroupChat } from './initiate-group-chat.ts'
import { calling, member, quiet } from './fakes.fake.ts'
import { defaultPattern } from './pattern/pattern.ts'

interface Told {
  readonly events: readonly XEvent[]
  /** The messages of the group. */
  readonly messages: readonly ChatMessage[]
}

/** Runs a group; without `emit` on the console. */
type RunGroup = (silent: boolean, emit?: Listener) => Promise<readonly ChatMessage[]>

const { tool_calls: calls } = calling('transfer_to_b_1')

/** A pattern with a handoff, and a group that is resumed and goes on. */
const GROUPS: Readonly<Record<string, RunGroup>> = {
  async pattern(silent, emit) {
    const io = emit ? quiet : consoleIo()
    const [a, b] = [member('a', { llmConfig: scriptedModel([{ tool_calls: calls }]), io }), member('b', { io })]
    const agents = [{ agent: a, handoffs: [{ to: b, when: 'Go to b.' }] }, b]
    const pattern = defaultPattern({ initialAgent: a, agents, groupManagerArgs: { io } })
    return (await initiateGroupChat(pattern, 'Start', { silent, emit })).messages
  },
  async 'resumed pattern'(silent, emit) {
    const io = emit ? quiet : consoleIo()
    const [a, b] = [member('a', { io }), member('b', { io })]
    const pattern = defaultPattern({ initialAgent: a, agents: [a, b], groupManagerArgs: { io } })
    const first = [{ name: 'a', content: 'earlier' }, { content: 'Go on' }]
    return (await initiateGroupChat(pattern, first, { silent, emit, maxRounds: 3 })).messages
  },
  async manager(silent, emit) {
    const io = emit ? quiet : consoleIo()
    const [a, b] = [member('a', { io }), member('b', { io })]
    const group = new GroupChat({ agents: [a, b], speakerSelectionMethod: 'round_robin', maxRound: 4, io })
    const manager = new GroupChatManager({ groupchat: group, name: 'manager', io, silent })
    const [speaker, message] = await manager.resume([{ name: 'a', content: 'hi' }], { emit, silent })
    const chat: ChatResult = await speaker.initiateChat(manager, { message, clearHistory: false, silent, emit })
    expect(chat.terminationReason).toBe('max-rounds')
    return group.messages
  },
}

const listen = async (run: RunGroup, silent: boolean): Promise<Told> => {
  const events: XEvent[] = []
  const messages = await run(silent, (event) => void events.push(event))
  return { events, messages }
}

afterEach(() => void vi.restoreAllMocks())

it.each(Object.entries(GROUPS))('a silent group tells a listener everything: %s', async (_, run) => {
  const loud = await listen(run, false)
  const silent = await listen(run, true)
  expect(silent.events.map(({ type }) => type)).toEqual(loud.events.map(({ type }) => type))
  expect(silent.events.map(({ type }) => type)).toContain('groupChatRunChat')
  const received = silent.events.filter((event) => event.type === 'receivedMessage')
  expect(received.every((event) => event.silent)).toBe(true)
})

it.each(Object.entries(GROUPS))('a silent group prints nothing: %s', async (_, run) => {
  const printed: unknown[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((text: unknown) => void printed.push(text))
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(text) > 0)
  await run(true)
  const inSilence = printed.splice(0)
  await run(false)
  log.mockRestore()
  write.mockRestore()
  expect(inSilence).toEqual([])
  expect(printed.join('')).toContain('manager')
})

it('the messages to the manager have their places in the conversations', async () => {
  const { events, messages } = await listen(GROUPS['pattern']!, false)
  const toManager = events.flatMap((event) =>
    event.type === 'receivedMessage' && event.recipient === 'chat_manager' ? [[event.sender, event.index]] : [],
  )
  expect(messages.map(({ name }) => name)).toEqual(['_User', 'a', '_Group_Tool_Executor', 'b'])
  // The answers to calls have no conversation of their own: their place is that in the group.
  expect(toManager).toEqual([
    ['_User', 0],
    ['a', 1],
    ['_Group_Tool_Executor', 2],
    ['b', 3],
  ])
})
