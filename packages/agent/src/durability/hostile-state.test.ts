import type { ChatMessage, ContentPart, JournalEntry } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { functionModel } from '@x/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChatJournal, ConversableAgent, tool, toolContent } from '../index.ts'
import { sealEntry } from './sealed-entries.ts'

const IMAGE: ContentPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }

/** A chat of every kind of entry. */
function program() {
  const io = { send: () => {}, input: (): string => 'go on' }
  const [user, assistant] = ['user', 'assistant'].map(
    (name) =>
      new ConversableAgent({
        name,
        io,
        humanInputMode: name === 'user' ? 'NEVER' : 'ALWAYS',
        contextVariables: { seen: 0, deep: { list: [1] } },
        llmConfig: functionModel(({ messages }) => {
          const last = messages.at(-1)!
          if (last.role === 'system' || last.role === 'tool') return { content: 'all seen', usage: [2, 1], cost: 0.5 }
          const call = { type: 'function', function: { name: 'look', arguments: '{"at":"it"}' } } as const
          return { content: null, tool_calls: ['a', 'b'].map((id) => ({ ...call, id })) }
        }),
      }),
  ) as [ConversableAgent, ConversableAgent]
  for (const agent of [user, assistant]) {
    const execute = ({ at }: { at?: unknown }): unknown => {
      const seen = Number(agent.getContext('seen')) + 1
      agent.setContext('seen', seen)
      return seen % 2 === 0 ? { seen: at } : toolContent([{ type: 'text', text: String(at) }, IMAGE])
    }
    const parameters = { type: 'object' as const }
    agent.registerForExecution(tool({ name: 'look', description: 'look', parameters, needsApproval: true, execute }))
    agent.registerHook('processLastReceivedMessage', (content) => content)
    agent.registerHook('processMessageBeforeSend', ({ message }) => message)
  }
  return { user, assistant }
}

const options = { message: 'hi', maxTurns: 3, summaryMethod: 'reflection_with_llm' as const }

async function wholeJournal(): Promise<ChatJournal> {
  const journal = new ChatJournal()
  for (;;) {
    const { user, assistant } = program()
    for (const { id } of journal.pending) await journal.decide(id, { allow: true, arguments: { at: 'that' } })
    const { terminationReason } = await user.initiateChat(assistant, { ...options, journal })
    if (terminationReason !== 'suspended') return journal
  }
}

const hostile = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, '', 'x', [], [null], {}, { a: 1 }),
  fc
    .constantFrom('{"__proto__":{"polluted":1}}', '{"constructor":{"prototype":{"polluted":1}}}')
    .map((text) => JSON.parse(text) as unknown),
  fc.jsonValue({ maxDepth: 2 }),
)

/** Every path of a value. */
const paths = (value: unknown): string[][] =>
  typeof value === 'object' && value !== null
    ? [[], ...Object.entries(value).flatMap(([key, each]) => paths(each).map((path) => [key, ...path]))]
    : [[]]

function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return to
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>
  if (to === undefined && rest.length === 0) {
    if (Array.isArray(copy)) copy.splice(Number(key), 1)
    else delete copy[key]
    return copy
  }
  const next = changed(copy[key], rest, to)
  Object.defineProperty(copy, key, { value: next, enumerable: true, configurable: true, writable: true })
  return copy
}

const notPolluted = (): void => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
}

function refusal(error: unknown): void {
  if (!isXError(error)) throw error
  expect(['invalid-state', 'unknown-state-version', 'invalid-message', 'invalid-argument']).toContain(error.code)
}

it('saved state of an agent that was changed anywhere is refused with its path, or loaded; never half', async () => {
  const { user, assistant } = program()
  const journal = await wholeJournal()
  await user.initiateChat(assistant, { ...options, journal })
  // Without its checksum, so that every change reaches the readers of its field.
  const saved = JSON.parse(JSON.stringify({ ...user.saveState(), checksum: undefined })) as unknown
  const all = paths(saved)
  fc.assert(
    fc.property(fc.nat(all.length - 1), fc.option(hostile, { nil: undefined }), (at, to) => {
      const { user: fresh, assistant: other } = program()
      const before = JSON.stringify(fresh.saveState())
      const state = changed(saved, all[at]!, to)
      try {
        fresh.loadState(state, { agents: [other] })
      } catch (error) {
        refusal(error)
        expect(JSON.stringify(fresh.saveState())).toBe(before)
        notPolluted()
        return
      }
      notPolluted()
      // What was loaded can be saved, and loaded again.
      const again = JSON.parse(JSON.stringify(fresh.saveState())) as never
      const { user: third, assistant: its } = program()
      third.loadState(again, { agents: [its] })
      expect(JSON.parse(JSON.stringify(third.saveState()))).toEqual(again)
    }),
    { numRuns: 400 },
  )
})

/** As somebody leaves it who computes the checksums of what was changed. */
function resealed(saved: unknown): unknown {
  const { entries } = (saved ?? {}) as { entries?: unknown }
  if (!Array.isArray(entries)) return saved
  const seal = (entry: unknown): unknown =>
    typeof entry === 'object' && entry !== null && !Array.isArray(entry)
      ? sealEntry(entry as JournalEntry, (entry as JournalEntry).seq)
      : entry
  return { ...(saved as object), entries: entries.map(seal) }
}

it('a journal that was changed anywhere and sealed again is refused, or the chat goes on; nothing breaks', async () => {
  const journal = await wholeJournal()
  const saved = JSON.parse(JSON.stringify(journal.saveState())) as { entries: JournalEntry[] }
  const all = paths(saved)
  await fc.assert(
    fc.asyncProperty(fc.nat(all.length - 1), fc.option(hostile, { nil: undefined }), async (at, to) => {
      const { user, assistant } = program()
      try {
        const broken = ChatJournal.load(resealed(changed(saved, all[at]!, to)))
        const { chatHistory } = await user.initiateChat(assistant, { ...options, journal: broken })
        expect(chatHistory.every((message: ChatMessage) => typeof message === 'object')).toBe(true)
      } catch (error) {
        refusal(error)
      }
      notPolluted()
    }),
    { numRuns: 400 },
  )
})
