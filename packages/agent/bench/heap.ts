import type { ConversableAgent } from '@x/agent'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { agent } from './faces.ts'
import { report } from './measure.ts'

const CHATS = 2_000

/** What chats leave on the heap: those that are kept, and those that nobody keeps. */
export async function benchHeap(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const gc = runInNewContext('gc') as () => void
  /** Bytes of heap after everything that can be freed is freed. */
  const used = async (): Promise<number> => {
    // Weak references and finalizers are cleared between turns of the event loop.
    for (let round = 0; round < 3; round++) {
      gc()
      await new Promise(setImmediate)
    }
    return process.memoryUsage().heapUsed
  }

  for (let index = 0; index < 200; index++) agent('a').initiateChatSync(agent('b'), { message: 'hi', maxTurns: 10 })
  const before = await used()
  const kept: unknown[] = []
  for (let index = 0; index < CHATS; index++) {
    const [a, b] = [agent(`a${index}`), agent(`b${index}`)]
    kept.push(a, b, a.initiateChatSync(b, { message: 'hi', maxTurns: 10 }))
  }
  const each = ((await used()) - before) / CHATS / 1024
  report(`an idle chat of 20 messages (${kept.length / 3} of them)`, each, { limit: 8, unit: 'KB' })
  kept.length = 0

  const server = agent('server')
  const [outer, asked, helper] = [agent('outer'), agent('asked'), agent('helper')]
  const calls = [{ id: 'c', function: { name: 'look', arguments: '{}' } }]
  outer.registerFunction({ look: () => 'seen' })
  asked.registerNestedChats([{ recipient: helper, maxTurns: 1 }], outer, { position: 99 })
  asked.registerReply(outer, (_, { messages }) => [messages.length === 1, { content: null, tool_calls: calls }])
  const ways: Record<string, (index: number) => Promise<unknown>> = {
    'nested chats and tools': async () => await outer.initiateChat(asked, { message: 'hi', maxTurns: 2 }),
    'two agents that chat again and again': twoOf(agent('a'), agent('b')),
    'new agents for every chat': async (index) => await twoOf(agent(`a${index}`), agent(`b${index}`))(),
    'one agent with ever new counterparts, reset now and then': async (index) => {
      await twoOf(agent(`client${index}`), server)()
      if (index % 100 === 0) server.reset()
    },
  }
  for (const [name, chat] of Object.entries(ways)) {
    for (let index = 0; index < 500; index++) await chat(-index)
    const start = await used()
    for (let index = 1; index <= 10_000; index++) await chat(index)
    const growth = ((await used()) - start) / 1024 / 1024
    report(`heap growth over 10,000 chats: ${name}`, growth, { limit: 1, unit: 'MB' })
  }
}

const twoOf = (a: ConversableAgent, b: ConversableAgent) => async (): Promise<void> => {
  await a.initiateChat(b, { message: 'hi', maxTurns: 2 })
}
