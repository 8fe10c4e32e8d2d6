import type { Carryover, ChatMessage, ChatResult, QueuedChat, Reply, ReplyOutcome, ToolCall } from '@x/interfaces'
import { foldEvents } from '@x/kernel/events'
import { scriptedModel } from '@x/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConversableAgent, tool } from './index.ts'
import { stateOf } from './memory/state.ts'
import { comparable, recordingIo } from './recording-io.fake.ts'

/** What is said next: a text, calls of tools, nothing, or a failure. */
type Line = 'text' | 'TERMINATE' | 'good call' | 'bad calls' | 'older call' | 'nothing' | 'failure'

/** Where a hook runs, and whether its fourth call fails. */
interface HookPlan {
  readonly at: 'before send' | 'last received' | 'all messages' | 'state'
  readonly fails: boolean
}

/** What one agent of a program is made of. */
interface Actor {
  readonly mode: 'ALWAYS' | 'NEVER' | 'TERMINATE'
  readonly most: number
  readonly model: readonly Line[] | null
  readonly replies: readonly Line[]
  readonly position: number
  readonly nested: 'none' | 'one' | 'two with carryover' | 'own function'
  readonly hooks: readonly HookPlan[]
}

const line = fc.constantFrom<Line>('text', 'TERMINATE', 'good call', 'bad calls', 'older call', 'nothing', 'failure')
const actor = fc.record<Actor>({
  mode: fc.constantFrom('ALWAYS', 'NEVER', 'TERMINATE'),
  most: fc.integer({ min: 0, max: 5 }),
  model: fc.option(fc.array(line, { minLength: 1, maxLength: 4 })),
  replies: fc.array(line, { maxLength: 3 }),
  position: fc.integer({ min: 0, max: 9 }),
  nested: fc.constantFrom('none', 'none', 'one', 'two with carryover', 'own function'),
  hooks: fc.array(
    fc.record({
      at: fc.constantFrom('before send', 'last received', 'all messages', 'state'),
      fails: fc.constantFrom(false, false, false, true),
    }),
    { maxLength: 3 },
  ),
})
const carryover = fc.constantFrom<Carryover | undefined>(undefined, 'one', [], ['one', 'two'], [{ content: 'three' }])
const chat = fc.record({
  maxTurns: fc.option(fc.integer({ min: 1, max: 6 })),
  summary: fc.constantFrom('last_msg' as const, null, 'function' as const, 'reflection_with_llm' as const),
  message: fc.constantFrom('text', 'message', 'function', 'human'),
  carryover,
  clearHistory: fc.boolean(),
})
const program = fc.record({
  actors: fc.tuple(actor, actor),
  human: fc.array(fc.constantFrom('', 'exit', 'go on'), { maxLength: 12 }),
  chats: fc.array(chat, { minLength: 1, maxLength: 2 }),
})
type Program = typeof program extends fc.Arbitrary<infer T> ? T : never
type ChatPlan = Program['chats'][number]

const call = (id: string, name: string, args: string): ToolCall => ({ id, function: { name, arguments: args } })

/** A line as a message; null for nothing. */
function messageOf(its: Line): Reply | null {
  if (its === 'good call') return { content: null, tool_calls: [call('c', 'add', '{"x": 1}')] }
  if (its === 'older call') return { content: null, function_call: { name: 'add', arguments: '{"x": 1}' } }
  if (its === 'bad calls') {
    const calls = [
      call('a', 'boom', '{}'),
      call('b', 'add', '{"x": 2}'),
      call('c', 'nobody', '{}'),
      call('d', 'add', '{'),
    ]
    return { content: 'four calls', tool_calls: [...calls, call('e', 'checked', '{"x": "one"}')] }
  }
  return its === 'nothing' ? null : its
}

const checked = tool({
  name: 'checked',
  description: 'Wants a number.',
  parameters: { type: 'object', properties: { x: { type: 'number' } }, required: ['x'] },
  execute: ({ x }) => x,
})

/** Says the lines in order, the last one again and again; every second time it leaves the word to the next function. */
function replyOf(its: Line, what: string): () => ReplyOutcome {
  let asked = 0
  return () => {
    asked++
    if (its === 'failure' && asked > 1) throw new Error(`${what} fails`)
    return [asked % 2 === 0, messageOf(its)]
  }
}

function build(its: Actor, name: string, io: ReturnType<typeof recordingIo>): ConversableAgent {
  const model = its.model?.map((each) => {
    if (each === 'failure') return { error: 'server' as const }
    const message = messageOf(each) ?? { content: null }
    return typeof message === 'string' ? message : (message as { content: null })
  })
  const agent = new ConversableAgent({
    name,
    io,
    humanInputMode: its.mode,
    maxConsecutiveAutoReply: its.most,
    defaultAutoReply: `auto of ${name}`,
    contextVariables: { turns: 0 },
    ...(model && { llmConfig: scriptedModel(model, { repeatLast: true }) }),
    functionMap: {
      add: ({ x }: { x: number }) => ({ sum: x + 1 }),
      boom: () => {
        throw new Error('boom')
      },
    },
  })
  agent.registerForExecution(checked)
  // Reply functions before the built-in ones can make a chat that never ends.
  let sent = 0
  agent.registerHook('processMessageBeforeSend', ({ message }) => {
    if (++sent > 40) throw new Error(`${name} has said enough`)
    return message
  })
  for (const [index, each] of its.replies.entries()) {
    agent.registerReply(() => true, replyOf(each, `reply ${index} of ${name}`), { position: its.position })
  }
  for (const [index, each] of its.hooks.entries()) hook(agent, each, `hook ${index} of ${name}`)
  nest(agent, its, io)
  return agent
}

function hook(agent: ConversableAgent, { at, fails }: HookPlan, what: string): void {
  let calls = 0
  const called = (): void => {
    calls++
    if (fails && calls === 4) throw new Error(`${what} fails`)
  }
  const louder = (content: ChatMessage['content']): ChatMessage['content'] =>
    typeof content === 'string' && content !== 'TERMINATE' ? `${content}!` : content
  if (at === 'before send') {
    agent.registerHook('processMessageBeforeSend', ({ message }) => {
      called()
      return typeof message === 'string' ? (louder(message) as string) : message
    })
  } else if (at === 'last received') {
    agent.registerHook('processLastReceivedMessage', (content) => {
      called()
      return louder(content)
    })
  } else if (at === 'all messages') {
    agent.registerHook('processAllMessagesBeforeReply', (messages) => {
      called()
      return messages.slice(-3)
    })
  } else {
    agent.registerHook('updateAgentState', (its: ConversableAgent) => {
      called()
      its.setContext('turns', (its.getContext('turns') as number) + 1)
      its.updateSystemMessage(`Turn ${its.getContext('turns') as number}.`)
    })
  }
}

function nest(agent: ConversableAgent, its: Actor, io: ReturnType<typeof recordingIo>): void {
  if (its.nested === 'none') return
  const options = { position: 2 + its.position }
  const helper = (name: string): ConversableAgent =>
    new ConversableAgent({ name, io, humanInputMode: 'NEVER', defaultAutoReply: `${name} helps` })
  const [one, two] = [helper(`first of ${agent.name}`), helper(`second of ${agent.name}`)]
  if (its.nested === 'one') return agent.registerNestedChats([{ recipient: one, maxTurns: 1 }], () => true, options)
  const queue = [
    { recipient: one, maxTurns: 1, carryoverConfig: { summaryMethod: 'all' as const } },
    { recipient: two, maxTurns: 2, message: 'And then?', carryover: 'a word' },
  ]
  if (its.nested === 'two with carryover') return agent.registerNestedChats(queue, () => true, options)
  agent.registerNestedChats(queue, () => true, {
    ...options,
    replyFuncFromNestedChats: (chats, { messages }) => [messages.length % 2 === 0, `${chats.length} chats`],
  })
}

function optionsOf({
  maxTurns,
  summary,
  message,
  carryover: carried,
  clearHistory,
}: ChatPlan): Omit<QueuedChat, 'recipient'> {
  return {
    maxTurns,
    clearHistory,
    carryover: carried,
    summaryMethod: summary === 'function' ? (from, to) => `${from.name} met ${to.name}` : summary,
    message: {
      text: 'hi',
      message: { content: 'hi', role: 'user' as const },
      function: (from: { name: string }) => `hi of ${from.name}`,
      human: null,
    }[message],
  }
}

type Face = (from: ConversableAgent, to: ConversableAgent, options: object) => Promise<ChatResult>

const faces: Record<'sync' | 'async' | 'stream', Face> = {
  sync: async (from, to, options) => from.initiateChatSync(to, options),
  async: async (from, to, options) => await from.initiateChat(to, options),
  stream: async (from, to, options) => {
    const stream = from.initiateChatStream(to, options)
    for (;;) {
      const item = await stream.next()
      if (item.done) return item.value
      await stateOf(from).io.send(item.value)
    }
  },
}

const messageOfError = (error: unknown): unknown => (error as Error).message

/** Everything that can be seen of a program when it has run. */
async function perform(
  { actors, human }: Program,
  run: (agents: readonly [ConversableAgent, ConversableAgent]) => Promise<unknown>,
): Promise<unknown> {
  // A human who has said everything ends the chat.
  const io = recordingIo([...human, ...Array.from({ length: 90 }, () => 'exit')])
  const agents = actors.map((its, index) => build(its, `agent-${index}`, io)) as [ConversableAgent, ConversableAgent]
  const ended = await run(agents)
  const shown = comparable(io.events)
  const states = agents.map((each) => [
    [...each.chatMessages.values()],
    each.getContext('turns'),
    each.systemMessage,
    each.humanInput,
    each.getTotalUsage(),
  ])
  return { ended, shown, prompts: io.prompts, states }
}

const inFace =
  (face: Face, chats: readonly ChatPlan[]) =>
  async ([from, to]: readonly [ConversableAgent, ConversableAgent]): Promise<unknown> => {
    const ended: unknown[] = []
    const { events } = stateOf(from).io as ReturnType<typeof recordingIo>
    for (const each of chats) {
      const before = events.length
      const result = await face(from, to, optionsOf(each)).catch(messageOfError)
      // The events of each chat tell what it returned; an error is no result.
      expect(foldEvents(events.slice(before)).result).toEqual(typeof result === 'string' ? null : result)
      ended.push(result)
    }
    return ended
  }

it('gives the same in the three faces, whatever the agents do', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      const sync = await perform(given, inFace(faces.sync, given.chats))
      expect(await perform(given, inFace(faces.async, given.chats))).toEqual(sync)
      expect(await perform(given, inFace(faces.stream, given.chats))).toEqual(sync)
    }),
    { numRuns: 300 },
  )
})

it('gives the same with async reply functions, which only the async faces ask', async () => {
  const late = (agent: ConversableAgent): void => {
    const reply = async (): Promise<ReplyOutcome> => [(await Promise.resolve(agent.name)) === 'agent-1', 'late']
    agent.registerReply(() => true, reply, { position: 2 })
  }
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      const run = (face: Face) => async (agents: readonly [ConversableAgent, ConversableAgent]) => {
        late(agents[1])
        return await inFace(face, given.chats)(agents)
      }
      const inAsync = await perform(given, run(faces.async))
      expect(await perform(given, run(faces.stream))).toEqual(inAsync)
      const refused = (await perform(given, run(faces.sync))) as {
        ended: string[]
        shown: ReturnType<typeof comparable>
      }
      for (const each of refused.ended) expect(each).toMatch(/async reply functions \(reply\)|a summary by a model/u)
      expect(refused.shown.told).toEqual([])
    }),
    { numRuns: 100 },
  )
})

it('gives the same for a queue in order and for chats each of which waits for those before', async () => {
  await fc.assert(
    fc.asyncProperty(program, fc.array(chat, { minLength: 1, maxLength: 2 }), async (given, more) => {
      const plans = [...given.chats, ...more]
      const queueOf = (to: ConversableAgent): QueuedChat[] =>
        plans.map((each, chatId) => ({
          ...optionsOf(each),
          recipient: to,
          chatId,
          prerequisites: Array.from({ length: chatId }, (_, index) => index),
        }))
      const sync = await perform(given, async ([from, to]) => {
        try {
          return from.initiateChatsSync(queueOf(to))
        } catch (error) {
          return messageOfError(error)
        }
      })
      const inAsync = await perform(given, async ([from, to]) =>
        from.initiateChats(queueOf(to)).then(
          // Chats in order have no identifier, as in the reference.
          (results) => [...results.values()].map((result) => ({ ...result, chatId: null })),
          messageOfError,
        ),
      )
      expect(inAsync).toEqual(sync)
    }),
    { numRuns: 200 },
  )
})
