import { ag2Run, AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import type { ChatResult, Io, Run } from '@x/interfaces'
import { functionModel } from '@x/testing'
import fc from 'fast-check'
import { defineChat } from './define-chat.ts'
import type { DefinedChat } from './defined-chat.ts'

/** A part of a random program. */
export type Part =
  /** A chat with a number of tool calls; the first may need an approval. With `nested`, the tool starts two chats at once. */
  | { readonly do: 'chat'; readonly calls: number; readonly ask: boolean; readonly nested: boolean }
  /** The program receives a message of a person. */
  | { readonly do: 'receive' }
  /** A chat in which an agent asks a person. */
  | { readonly do: 'human' }
  /** Several chats at once. The first may need an approval. */
  | { readonly do: 'together'; readonly chats: number; readonly ask: boolean }
  /** The program receives a message while a chat runs. */
  | { readonly do: 'beside'; readonly calls: number }

/** A random part. */
export const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({
    do: fc.constant('chat' as const),
    calls: fc.integer({ min: 0, max: 3 }),
    ask: fc.boolean(),
    nested: fc.boolean(),
  }),
  fc.record({ do: fc.constant('receive' as const) }),
  fc.record({ do: fc.constant('human' as const) }),
  fc.record({ do: fc.constant('together' as const), chats: fc.integer({ min: 2, max: 3 }), ask: fc.boolean() }),
  fc.record({ do: fc.constant('beside' as const), calls: fc.integer({ min: 0, max: 3 }) }),
)

/** Samples programs of one to five parts. */
export const samplePrograms = (count: number, seed: number): readonly (readonly Part[])[] =>
  fc.sample(fc.array(part, { minLength: 1, maxLength: 5 }), { numRuns: count, seed })

/** Returns the number of messages that a program receives. */
export const messagesOf = (parts: readonly Part[]): number =>
  parts.filter((each) => each.do === 'receive' || each.do === 'human' || each.do === 'beside').length

/** Returns the value of a program with the messages `0`, `1` and so on. */
export function expectedOf(parts: readonly Part[]): unknown[] {
  let message = 0
  return parts.map((each) => {
    if (each.do === 'chat') return `${each.calls} results`
    if (each.do === 'receive') return `${message++}`
    if (each.do === 'human') return `heard ${message++}`
    if (each.do === 'beside') return [`${message++}`, `${each.calls} results`]
    return Array.from({ length: each.chats }, (_, n) => `${n} results`)
  })
}

/**
 * Runs a random program; `log` is called, and awaited, for every call of a model or tool. `ended` gets the results of all
 * chats of the last turn so far.
 */
export const randomChat = (
  log: (line: string) => Promise<void>,
  ended: ChatResult[] = [],
): DefinedChat<Record<string, unknown>> =>
  defineChat({
    name: 'random',
    version: '1',
    async run({ id, input, run, io, receive }) {
      ended.length = 0
      const its = { id, run, log, ended }
      const results: unknown[] = []
      for (const each of input['parts'] as readonly Part[]) {
        if (each.do === 'receive') results.push(await receive())
        if (each.do === 'human') results.push(await human(run, io, { log, ended }))
        if (each.do === 'chat')
          results.push(await calls({ ...its, name: 'clerk', count: each.calls, ask: each.ask, nested: each.nested }))
        if (each.do === 'together') {
          const chats = Array.from({ length: each.chats }, (_, n) =>
            calls({ ...its, name: `clerk${n}`, count: n, ask: each.ask && n === 1 }),
          )
          results.push(await Promise.all(chats))
        }
        if (each.do === 'beside') {
          const chat = calls({ ...its, name: 'busy', count: each.calls })
          results.push(await Promise.all([receive(), chat]))
        }
      }
      return results
    },
  })

/** Returns the summaries of the outermost chats of a program. */
export const summariesOf = (parts: readonly Part[]): string[] =>
  expectedOf(parts.filter((each) => each.do !== 'receive'))
    .flat()
    .filter((each) => /^heard | results$/u.test(String(each)))
    .map((each) => String(each).replace(/^heard .*/u, 'heard'))

/** What the chats of a random program tell. */
interface Told {
  readonly log: (line: string) => Promise<void>
  readonly ended: ChatResult[]
}

/** A chat of a random program. */
interface Calls extends Told {
  readonly id: string
  readonly name: string
  readonly count: number
  readonly ask?: boolean
  readonly nested?: boolean
  readonly run: Run
}

async function calls({ id, name, count, ask = false, nested = false, run, log, ended }: Calls): Promise<unknown> {
  const llmConfig = functionModel(async ({ messages }) => {
    await log(`model ${id}`)
    const results = messages.filter(({ role }) => role === 'tool').length
    if (results === count) return `${count} results`
    const call = { id: `call${results}`, function: { name: 'act', arguments: JSON.stringify({ n: results }) } }
    return { tool_calls: [call] }
  })
  const act = tool({
    name: 'act',
    description: 'Acts.',
    parameters: { type: 'object' },
    needsApproval: (args) => ask && args['n'] === 0,
    async execute(_, { key, run: inner }) {
      await log(`tool ${key}`)
      if (nested) await Promise.all(['one', 'two'].map((expert) => askExpert(expert, inner, log)))
      return 'done'
    },
  })
  const agent = new AssistantAgent({ name, llmConfig })
  const result = await agent.run('Act.', { ...ag2Run, tools: act, userInput: false, run })
  ended.push(result)
  return result.summary
}

async function askExpert(name: string, run: Run | undefined, log: Told['log']): Promise<void> {
  const llmConfig = functionModel(async () => {
    await log('model')
    return 'as ever'
  })
  await new AssistantAgent({ name, llmConfig }).run('What now?', { run })
}

async function human(run: Run, io: Io, { log, ended }: Told): Promise<unknown> {
  const llmConfig = functionModel(async ({ messages }) => {
    await log('model')
    return `heard ${(messages.at(-1) as { content: string }).content}`
  })
  const person = new UserProxyAgent({ name: 'person', io, humanInputMode: 'ALWAYS', codeExecutionConfig: false })
  const assistant = new AssistantAgent({ name: 'assistant', llmConfig })
  const result = await person.initiateChat(assistant, { message: 'Hello.', maxTurns: 2, run })
  ended.push(result)
  return result.summary
}
