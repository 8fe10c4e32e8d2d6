import type { CacheStore, ChatMessage, ChatResult, Io } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { functionModel } from '@x/testing'
import { ConversableAgent, type ConversableAgentOptions } from './index.ts'
import { stateOf } from './memory/state.ts'

/** Called wherever the program asks something outside: it fails, or stops the run, at one of these steps. */
type Step = (label: string) => void

const cache: CacheStore = { name: 'none', get: () => undefined, set: () => {} }

/** A chat with a tool, hooks, a summary and a nested chat that has a tool of its own. */
function program(step: Step) {
  const io: Io = {
    // What a model says piece by piece is told in the streaming face alone; ends are sent while a stopped run closes.
    send: ({ type }) => (/Delta$|End$/u.test(type) ? undefined : step(`event ${type}`)),
    input: () => {
      step('human')
      return ''
    },
  }
  const agent = (name: string, options: Partial<ConversableAgentOptions> = {}): ConversableAgent => {
    const its = new ConversableAgent({ name, io, humanInputMode: 'NEVER', defaultAutoReply: '', ...options })
    its.registerFunction({
      look: () => {
        step(`tool of ${name}`)
        return 'seen'
      },
    })
    its.registerHook('processMessageBeforeSend', ({ message }) => {
      step(`hook of ${name}`)
      return message
    })
    return its
  }
  const calls = (its: ConversableAgent): void => {
    its.registerReply(
      () => true,
      (_, { messages }) => {
        step(`reply of ${its.name}`)
        if (messages.at(-1)?.role === 'tool') return [true, 'done']
        return [true, { content: null, tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] }]
      },
      { position: 2 },
    )
  }
  const beforeToolCall = (): 'allow' => {
    step('vetting of user')
    return 'allow'
  }
  const [user, asked] = [agent('user', { beforeToolCall }), agent('asked')]
  const helper = agent('helper', {
    humanInputMode: 'ALWAYS',
    updateAgentStateBeforeReply: () => step('state hook of helper'),
    llmConfig: functionModel(({ messages }) => {
      step('model of helper')
      if (messages.at(-1)?.role === 'tool') return 'done'
      return { content: null, tool_calls: [{ id: 'c', function: { name: 'look', arguments: '{}' } }] }
    }),
  })
  helper.registerHook('processLastReceivedMessage', (content) => {
    step('content hook of helper')
    return content
  })
  const nested = { recipient: helper, maxTurns: 2, cache, summaryMethod: 'last_msg' as const }
  user.registerNestedChats([nested], asked, { position: 99 })
  calls(asked)
  const options = {
    message: () => {
      step('first message')
      return 'hi'
    },
    maxTurns: 3,
    cache,
    summaryMethod: () => {
      step('summary')
      return 'the end'
    },
  }
  return { agents: [user, asked, helper], user, asked, options }
}

type Program = ReturnType<typeof program>
type Face = (its: Program, signal?: AbortSignal) => Promise<ChatResult>

const faces: Record<string, Face> = {
  sync: async ({ user, asked, options }) => user.initiateChatSync(asked, options),
  async: async ({ user, asked, options }, signal) => await user.initiateChat(asked, { ...options, signal }),
  stream: async ({ user, asked, options }, signal) => {
    const stream = user.initiateChatStream(asked, { ...options, signal })
    try {
      for (;;) {
        const { done, value } = await stream.next()
        if (done) return value
        await stateOf(user).io.send(value)
      }
    } finally {
      // A consumer that fails leaves the stream, as `for await` does.
      await stream.return(undefined as never)
    }
  },
}

const histories = ({ agents }: Program): ChatMessage[][] =>
  agents.flatMap(({ chatMessages }) => [...chatMessages.values()].map((messages) => [...messages]))
const openCalls = (lists: ChatMessage[][]): number => lists.filter((messages) => messages.at(-1)?.tool_calls).length
const caches = ({ agents }: Program): unknown[] =>
  agents.flatMap((each) => [...stateOf(each).conversations.values()].map((conversation) => conversation.chats))

/** The labels of the steps of a run without faults, in order. */
async function labelsOf(face: Face): Promise<string[]> {
  const labels: string[] = []
  await face(program((label) => void labels.push(label)))
  return labels
}

describe.each(Object.entries(faces))('a fault at every step of a nested chat with tools (%s)', (name, face) => {
  it('reaches the caller or the model, and leaves agents that can chat again', async () => {
    const labels = await labelsOf(face)
    expect(labels).toContain('tool of user')
    expect(labels.lastIndexOf('tool of user')).toBeGreaterThan(labels.indexOf('model of helper'))
    expect(labels).toEqual(expect.arrayContaining(['model of helper', 'vetting of user', 'human', 'summary']))
    for (const [at, label] of labels.entries()) {
      let count = 0
      const its = program(() => {
        if (count++ === at) throw new Error(`fault at ${label}`)
      })
      const ended = await face(its).then(
        ({ summary }) => summary,
        (error: unknown) => (error as Error).message,
      )
      // A vetting function that fails denies the call; that and the fault of a tool come back to the model.
      expect(ended, label).toBe(/^(?:tool|vetting)/u.test(label) ? 'the end' : `fault at ${label}`)
      expect(caches(its).every((each) => each === null)).toBe(true)
      const again = await face(its)
      expect(again.chatHistory, label).toEqual((await face(program(() => {}))).chatHistory)
    }
  })

  if (name === 'sync') return
  it('stops at an abort there, and writes nothing afterwards', async () => {
    for (const at of (await labelsOf(face)).keys()) {
      const stop = new AbortController()
      let count = 0
      let atStop: ChatMessage[][] = []
      const its: Program = program(() => {
        if (count++ !== at) return
        stop.abort()
        atStop = structuredClone(histories(its))
      })
      await expect(face(its, stop.signal)).rejects.toMatchObject({ code: 'aborted' })
      const stopped = structuredClone(histories(its))
      // Only the answers of calls that were left open are added, so that the history can be sent again.
      for (const [index, messages] of stopped.entries()) {
        const before = atStop[index] ?? []
        const added = messages.splice(before.length)
        expect(messages).toEqual(before)
        expect(added).toEqual(before.at(-1)?.tool_calls ? [expect.objectContaining({ role: 'tool' })] : [])
      }
      await new Promise((resolve) => setImmediate(resolve))
      expect(histories(its).flat()).toHaveLength(atStop.flat().length + openCalls(atStop))
      expect(count).toBe(at + 1)
      expect(caches(its).every((each) => each === null)).toBe(true)
    }
  })
})
