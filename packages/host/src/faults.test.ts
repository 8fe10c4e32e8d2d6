import { failCalls } from '@x/testing/hosting'
import { beforeAll, expect, it } from 'vitest'
import { createHost, defineChat, sqlite, type DefinedChat } from './index.ts'
import { expectedOf, messagesOf, randomChat, type Part } from './random-program.fake.ts'

/** Number of chats that run at once; in each, another call fails. */
const CONCURRENT_CHATS = 20

const part = defineChat({
  ...{ name: 'part', version: '1', concurrency: 2, keeps: 'value' },
  run: async ({ input }) => await new Promise((resolve) => setImmediate(() => resolve(input['n']))),
})

const whole = defineChat({
  ...{ name: 'whole', version: '1' },
  run: async ({ perform }) => await Promise.all([1, 2, 3].map((n) => perform(part, { n }))),
})

const everything: readonly Part[] = [
  { do: 'chat', calls: 2, ask: true, nested: false },
  { do: 'receive' },
  { do: 'together', chats: 2, ask: false },
  { do: 'human' },
]

const CASES: readonly (readonly [string, Case])[] = [
  ['a chat with parts', { chats: () => [whole, part], input: {}, expected: [1, 2, 3], messages: 0, tools: 0 }],
  [
    'a chat that asks and is answered',
    {
      chats: (log) => [randomChat(log)],
      input: { parts: everything },
      expected: expectedOf(everything),
      messages: messagesOf(everything),
      tools: 3,
    },
  ],
]

interface Case {
  /** Programs, that of the chat first; each call of a model or tool is a line of the log. */
  readonly chats: (log: (line: string) => Promise<void>) => readonly DefinedChat<Record<string, unknown>>[]
  readonly input: Record<string, unknown>
  readonly expected: unknown
  readonly messages: number
  /** Number of tool calls. */
  readonly tools: number
}

beforeAll(() => {
  // Every working host listens for SIGTERM.
  process.setMaxListeners(process.getMaxListeners() + CONCURRENT_CHATS)
})

/** Runs a chat while one call of the backend fails; returns true if that call was made. */
async function runWithFailure(the: Case, nth: number, when: 'before' | 'after'): Promise<boolean> {
  const memory = sqlite(':memory:')
  const tools: string[] = []
  const chats = the.chats(async (line) => void (line.startsWith('tool') && tools.push(line)))
  let calls = 0
  let failed = 'nothing'
  const at = failCalls(memory, (name, given) => {
    if (calls++ !== nth) return undefined
    failed = `${when} ${name} ${JSON.stringify(given).slice(0, 80)}`
    return when
  })
  // People and their messages come from another process.
  const [host, people] = [at, memory].map((each) => createHost({ chats, at: each }))
  const stop = new AbortController()
  const work = host!.work({ signal: stop.signal, lease: 1, onError: () => {} })
  await people!.submit(chats[0]!, the.input, { id: 'a' })
  for (let n = 0; n < the.messages; n++) await people!.send('a', `${n}`)
  const outcome = async (): Promise<unknown> => {
    for await (const { pending } of people!.pending()) await people!.decide('a', pending.id, { allow: true })
    return (await people!.get('a'))?.outcome
  }
  await expect.poll(outcome, { message: failed }).toEqual({ state: 'done', value: the.expected })
  const ids = async (): Promise<readonly string[]> => (await memory.store.list({ limit: 100 })).map(({ id }) => id)
  await expect.poll(ids, { message: failed }).toEqual(['a'])
  // Only calls in flight are repeated, with the same key.
  expect(new Set(tools).size, failed).toBe(the.tools)
  expect(tools.length - the.tools, failed).toBeLessThanOrEqual(1)
  stop.abort()
  await work
  await host!.close()
  return calls > nth
}

it.each(CASES)('%s ends with the right value whichever call of its store, queue or log fails', async (_, the) => {
  for (const when of ['before', 'after'] as const) {
    let next = 0
    let isOver = false
    const each = async (): Promise<void> => {
      while (!isOver) isOver = !(await runWithFailure(the, next++, when)) || isOver
    }
    await Promise.all(Array.from({ length: CONCURRENT_CHATS }, each))
    expect(next).toBeGreaterThan(CONCURRENT_CHATS)
  }
})
