import type { JournalEntry } from '@x/interfaces'
import { isXError, type XError } from '@x/kernel'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { ChatJournal, type ChatJournalOptions, decisionEntry, fork, pendingIn } from '../index.ts'
import { agent, toolChat } from '../run/tool-chat.fake.ts'
import { checksumOf } from './sealed-entries.ts'

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

let whole: readonly JournalEntry[]
/** A journal whose last entry is a question. */
let waiting: readonly JournalEntry[]

beforeAll(async () => {
  const chat = async (journal: ChatJournal, vet: 'allow' | 'ask'): Promise<void> => {
    await toolChat(
      async ({ run }) => {
        const clerk = agent('clerk', { beforeToolCall: () => vet, contextVariables: { seen: 0 } })
        clerk.registerFunction({ pay: () => ({ paid: 7.5, to: 'Åse \u0000 \uD83D\uDE00' }) })
        const calls = [{ id: 'p', type: 'function' as const, function: { name: 'pay', arguments: '{"euros":100}' } }]
        const expert = agent('expert')
        expert.registerReply(
          () => true,
          () => [true, { content: null, tool_calls: calls }],
        )
        return (await clerk.initiateChat(expert, { message: 'go', maxTurns: 2, run })).chatHistory.at(2)?.content
      },
      { journal },
    )
  }
  const [journal, open] = [new ChatJournal(), new ChatJournal()]
  await chat(journal, 'allow')
  await chat(open, 'ask')
  whole = json(journal.saveState().entries)
  waiting = json(open.saveState().entries)
  expect(whole.length).toBeGreaterThan(6)
  expect(pendingIn(waiting)).toHaveLength(1)
})

const load = (entries: readonly unknown[], options: ChatJournalOptions = {}): ChatJournal =>
  ChatJournal.load({ version: 3, kind: 'chat', entries: json(entries) }, options)

const linesOf = (entries: readonly JournalEntry[]): string =>
  entries.map((entry) => `\n${JSON.stringify(entry)}`).join('')

function refusalOf(act: () => unknown): XError | undefined {
  try {
    act()
    return undefined
  } catch (error) {
    if (isXError(error)) return error
    throw error
  }
}

/** A refusal that says where. */
function expectPlace(error: XError | undefined): void {
  expect(error?.code).toBe('invalid-state')
  const { place, line, path } = error!.details as Record<string, unknown>
  expect(place ?? line ?? path).toBeDefined()
}

describe.each([{ trusted: false }, { trusted: true }])('a journal that is damaged, with $trusted trust', (options) => {
  it('is refused with its place after any flipped byte of its lines', () => {
    const bytes = Buffer.from(linesOf(whole))
    const lastLine = bytes.lastIndexOf('\n')
    fc.assert(
      fc.property(
        fc.oneof(fc.nat(bytes.length - 1), fc.integer({ min: lastLine, max: bytes.length - 1 })),
        fc.oneof(
          fc.nat(7).map((bit) => (byte: number) => byte ^ (1 << bit)),
          fc.nat(255).map((byte) => () => byte),
        ),
        (at, flip) => {
          const flipped = Buffer.from(bytes)
          flipped[at] = flip(bytes[at]!)
          // A line break in place of the last byte is what a torn line looks like.
          fc.pre(!(at === bytes.length - 1 && flipped[at] === 0x0a))
          let loaded: ChatJournal | undefined
          const error = refusalOf(() => (loaded = ChatJournal.parse(flipped.toString('utf8'), options)))
          if (error) expectPlace(error)
          else expect(loaded!.saveState().entries).toEqual(whole)
        },
      ),
      { numRuns: 1500 },
    )
  })

  it('is refused when the content of an entry was changed', () => {
    for (const [index, entry] of whole.entries()) {
      const { checksum, value } = entry
      const others: object[] = [
        { ...entry, value: { changed: value } },
        { ...entry, place: `${entry.place}.7` },
        { ...entry, name: 'another' },
        { ...entry, further: 1 },
        { ...entry, checksum: checksum!.replace(/./u, (digit) => (digit === '0' ? '1' : '0')) },
        { ...entry, checksum: undefined },
      ]
      for (const other of others) {
        const error = refusalOf(() => load(whole.with(index, other as JournalEntry), options))
        expectPlace(error)
        expect(error!.message).toContain('damaged')
      }
    }
  })

  it('is refused when an entry is missing before another', () => {
    for (let index = 0; index < whole.length - 1; index++) {
      const error = refusalOf(() => load(whole.toSpliced(index, 1), options))
      expect(error).toMatchObject({ code: 'invalid-state', details: { place: whole[index + 1]!.place } })
      expect(error!.message).toContain(`number ${index} is missing`)
    }
    expect(load(whole.slice(0, -1), options).length).toBe(whole.length - 1)
  })

  it('is refused when a number comes twice', () => {
    for (const [index, entry] of whole.entries()) {
      for (const at of [0, index, whole.length]) {
        const error = refusalOf(() => load(whole.toSpliced(at, 0, entry), options))
        expect(error).toMatchObject({ code: 'invalid-state', details: { place: entry.place, seq: index } })
      }
    }
  })

  it('is refused when two runs of the chat wrote at once', async () => {
    const written: JournalEntry[] = []
    const onEntry = (entry: JournalEntry): void => void written.push(entry)
    const chat = (): Promise<unknown> =>
      toolChat(() => 'done', { journal: ChatJournal.load({ version: 3, kind: 'chat', entries: [] }, { onEntry }) })
    await Promise.all([chat(), chat()])
    expectPlace(refusalOf(() => load(written, options)))
  })

  it('is refused by `fork`, and `pendingIn` shows no question that was changed', () => {
    const changed = json(waiting.at(-1)!)
    const action = (changed.value as { action: { arguments: object } }).action
    Object.assign(action.arguments, { euros: 1 })
    const damaged = waiting.with(waiting.length - 1, changed)
    expectPlace(refusalOf(() => pendingIn(damaged)))
    expectPlace(refusalOf(() => fork(damaged, '1.9')))
    expectPlace(refusalOf(() => fork(whole.toSpliced(2, 1), '1.9')))
    const decision = decisionEntry(pendingIn(waiting)[0]!, { allow: false })
    expectPlace(refusalOf(() => pendingIn([...waiting, { ...decision, value: { allow: true } }])))
  })
})

describe('a journal that is whole', () => {
  it('may come in any order of its entries, with decisions of others anywhere', () => {
    const decision = decisionEntry(pendingIn(waiting)[0]!, { allow: true })
    fc.assert(
      fc.property(fc.shuffledSubarray([...waiting, decision], { minLength: waiting.length + 1 }), (shuffled) => {
        const journal = load(shuffled)
        expect(journal.pending).toEqual([])
        expect(journal.saveState().entries.filter(({ kind }) => kind !== 'decision')).toEqual(waiting)
      }),
      { numRuns: 50 },
    )
  })

  it('takes the first of two decisions', () => {
    const [pending] = pendingIn(waiting)
    const [yes, no] = [decisionEntry(pending!, { allow: true }), decisionEntry(pending!, { allow: false })]
    const journal = load([...waiting, no, yes])
    expect(journal.recall(pending!.id)).toContainEqual(no)
    expect(journal.length).toBe(waiting.length + 1)
  })

  it('leaves out a line that was torn at any of its bytes, also when others were written after it', () => {
    const before = linesOf(whole.slice(0, -1))
    const line = Buffer.from(`\n${JSON.stringify(whole.at(-1))}`)
    for (let length = 0; length < line.length; length++) {
      const torn = before + line.subarray(0, length).toString('utf8')
      expect(ChatJournal.parse(torn).length).toBe(whole.length - 1)
      expect(ChatJournal.parse(torn + line.toString('utf8')).saveState().entries).toEqual(whole)
    }
  })

  it('of an older version is refused by its number', () => {
    const older = whole.map((entry) => ({ ...entry, seq: undefined, checksum: undefined }))
    const error = { code: 'unknown-state-version', details: { version: 2, known: [3] } }
    expect(refusalOf(() => ChatJournal.parse(linesOf(older)))).toMatchObject(error)
    expect(refusalOf(() => ChatJournal.load({ version: 2, kind: 'chat', entries: older }))).toMatchObject(error)
    expect(refusalOf(() => fork(older, '1'))).toMatchObject(error)
    expect(refusalOf(() => pendingIn(older))).toMatchObject(error)
  })

  it('is written one entry after the other, and nothing after one that could not be', async () => {
    for (const failing of [2, 3, Infinity]) {
      const written: number[] = []
      let open = 0
      const onEntry = async ({ seq }: JournalEntry): Promise<void> => {
        expect(open++).toBe(0)
        await Promise.resolve()
        await Promise.resolve()
        open--
        if (written.length === failing) throw new Error('the disk is full')
        written.push(seq!)
      }
      const journal = new ChatJournal({ onEntry })
      const entries = ['1', '2', '3', '4', '5'].map((place) => ({ place, kind: 'tool', name: 'a', value: 1 }) as const)
      const kept = await Promise.allSettled(entries.map(async (entry) => await journal.keep(entry)))
      expect(written).toEqual([0, 1, 2, 3, 4].slice(0, failing))
      expect(kept.filter(({ status }) => status === 'fulfilled')).toHaveLength(written.length)
      expect(journal.length).toBe(written.length)
      expect(load(journal.saveState().entries).length).toBe(written.length)
    }
  })

  it('has the checksums that it always had, for every order of few keys or many', () => {
    const few = ['b', 'a', '', '10', '9', 'B', 'é', '\uFFFF', '😀', 'aa', '_', 'Z']
    const many = [...few, ...Array.from({ length: 9 }, (_, index) => `key ${index}`)]
    const sums = [few, many].map((names) =>
      [names, names.toReversed(), names.toSorted()].map((order) =>
        checksumOf(Object.fromEntries(order.map((name) => [name, names.indexOf(name)]))),
      ),
    )
    expect(sums).toEqual([
      ['8130f8a0', '8130f8a0', '8130f8a0'],
      ['8c55b29c', '8c55b29c', '8c55b29c'],
    ])
  })

  it('is not cut while its chat runs', () => {
    const journal = load(whole)
    const leave = journal.enter()
    expectCode(() => journal.cut('1.2'))
    leave()
    journal.cut('1.2')
    expect(journal.length).toBeLessThan(whole.length)
    expect(load(journal.saveState().entries).length).toBe(journal.length)
  })
})

const expectCode = (act: () => unknown): void => expect(refusalOf(act)?.code).toBe('invalid-state')
