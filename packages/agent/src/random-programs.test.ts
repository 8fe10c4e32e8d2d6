import type { ChatResult, ReplyOutcome, ToolCall, XEvent } from '@x/interfaces'
import { scriptedModel } from '@x/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ConversableAgent } from './index.ts'
import { recordingIo } from './recording-io.fake.ts'

/** One agent of a random program. */
interface Actor {
  readonly mode: 'ALWAYS' | 'NEVER' | 'TERMINATE'
  readonly most: number
  readonly model: readonly Line[] | null
  readonly replies: readonly Line[]
  readonly position: number
  readonly nested: boolean
}

/** What is said next: a text, a call of a tool, nothing, or a failure. */
type Line = 'text' | 'TERMINATE' | 'good call' | 'bad call' | 'unknown call' | 'nothing' | 'failure'

const line = fc.constantFrom<Line>('text', 'TERMINATE', 'good call', 'bad call', 'unknown call', 'nothing', 'failure')
const actor = fc.record<Actor>({
  mode: fc.constantFrom('ALWAYS', 'NEVER', 'TERMINATE'),
  most: fc.integer({ min: 0, max: 5 }),
  model: fc.option(fc.array(line, { minLength: 1, maxLength: 4 })),
  replies: fc.array(line, { maxLength: 3 }),
  position: fc.integer({ min: 0, max: 9 }),
  nested: fc.boolean(),
})
const program = fc.record({
  actors: fc.tuple(actor, actor),
  human: fc.array(fc.constantFrom('', 'exit', 'go on'), { maxLength: 12 }),
  maxTurns: fc.option(fc.integer({ min: 1, max: 6 })),
  summary: fc.constantFrom('last_msg' as const, null),
})
type Program = typeof program extends fc.Arbitrary<infer T> ? T : never

const CALLS: Partial<Record<Line, string>> = { 'good call': 'add', 'bad call': 'boom', 'unknown call': 'nobody' }

function messageOf(its: Line): { content: null; tool_calls: ToolCall[] } | string | null {
  const name = CALLS[its]
  if (name) return { content: null, tool_calls: [{ id: 'c', function: { name, arguments: '{"x": 1}' } }] }
  return its === 'nothing' ? null : its
}

const faces: ((from: ConversableAgent, to: ConversableAgent, options: object) => Promise<ChatResult>)[] = [
  async (from, to, options) => from.initiateChatSync(to, options),
  async (from, to, options) => await from.initiateChat(to, options),
  async (from, to, options) => {
    const stream = from.initiateChatStream(to, options)
    for (;;) {
      const item = await stream.next()
      if (item.done) return item.value
      await from['~state'].io.send(item.value)
    }
  },
]

async function perform({ actors, human, maxTurns, summary }: Program, face: (typeof faces)[number]): Promise<unknown> {
  // A human who has said everything ends the chat.
  const io = recordingIo([...human, ...Array.from({ length: 60 }, () => 'exit')])
  const agents = actors.map((its, index) => build(its, `agent-${index}`, io)) as [ConversableAgent, ConversableAgent]
  let ended: unknown
  try {
    ended = await face(agents[0], agents[1], { message: 'hi', maxTurns, summaryMethod: summary })
  } catch (error) {
    ended = (error as Error).message
  }
  const shown = io.events.filter(({ type }: XEvent) => type !== 'modelDelta')
  return { ended, shown, prompts: io.prompts, histories: agents.map(({ chatMessages }) => [...chatMessages.values()]) }
}

function build(its: Actor, name: string, io: ReturnType<typeof recordingIo>): ConversableAgent {
  const model = its.model?.map((each) =>
    each === 'failure' ? { error: 'server' as const } : (messageOf(each) ?? { content: null }),
  )
  const agent = new ConversableAgent({
    name,
    io,
    humanInputMode: its.mode,
    maxConsecutiveAutoReply: its.most,
    defaultAutoReply: `auto of ${name}`,
    ...(model && { llmConfig: scriptedModel(model, { repeatLast: true }) }),
    functionMap: {
      add: ({ x }: { x: number }) => x + 1,
      boom: () => {
        throw new Error('boom')
      },
    },
  })
  // Reply functions before the built-in ones can make a chat that never ends.
  let sent = 0
  agent.registerHook('processMessageBeforeSend', ({ message }) => {
    if (++sent > 40) throw new Error(`${name} has said enough`)
    return message
  })
  for (const [index, each] of its.replies.entries()) {
    let asked = 0
    const reply = (): ReplyOutcome => {
      asked++
      if (each === 'failure' && asked > 1) throw new Error(`reply ${index} of ${name} fails`)
      return [asked % 2 === 0, messageOf(each)]
    }
    agent.registerReply(() => true, reply, { position: its.position })
  }
  if (its.nested) {
    const helper = new ConversableAgent({
      name: `helper-of-${name}`,
      io,
      humanInputMode: 'NEVER',
      defaultAutoReply: 'helped',
    })
    agent.registerNestedChats([{ recipient: helper, maxTurns: 1 }], () => true, { position: 2 + its.position })
  }
  return agent
}

it('gives the same in the three faces, whatever the agents do', async () => {
  await fc.assert(
    fc.asyncProperty(program, async (given) => {
      const [sync, async, stream] = [
        await perform(given, faces[0]!),
        await perform(given, faces[1]!),
        await perform(given, faces[2]!),
      ]
      expect(async).toEqual(sync)
      expect(stream).toEqual(sync)
    }),
    { numRuns: 300 },
  )
})
