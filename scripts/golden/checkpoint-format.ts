import { ChatJournal } from '../../packages/agent/src/index.ts'
import { createHost, sqlite, type Host } from '../../packages/host/src/index.ts'
import type { JournalEntry } from '../../packages/interfaces/src/index.ts'
import { XError } from '../../packages/kernel/src/index.ts'
import type { GoldenFormat } from './golden-files.ts'
import { until, withWorker } from './host-runs.ts'
import { noDeeds, talkProgram } from './programs.ts'

const ID = 'golden'

/** The messages of the conversation: the second one waits for an approval. */
const MESSAGES = ['One.', 'Two.'] as const

const isSuspended = async (host: Host): Promise<boolean> => (await host.get(ID))?.state === 'suspended'

async function allow(host: Host): Promise<void> {
  for await (const { pending } of host.pending()) await host.decide(ID, pending.id, { allow: true, by: 'ann' })
}

/** Fails where the conversation cannot go on. */
async function check(host: Host): Promise<void> {
  for await (const { problem } of host.check(talkProgram(noDeeds()))) {
    if (problem) throw new XError(problem.code ?? 'invalid-state', problem.message)
  }
}

/** Makes an entry with the version of its checkpoint raised, sealed as a newer release would. */
function newerEntry(entry: JournalEntry): JournalEntry {
  const { seq: _, checksum: __, ...content } = entry
  const journal = new ChatJournal()
  void journal.keep({ ...content, value: { ...(content.value as object), version: 2 } })
  return journal.saveState().entries[0]!
}

/** A conversation with a checkpoint, in the middle of its second message. */
export const CHECKPOINT: GoldenFormat = {
  version: 1,
  async write() {
    const at = sqlite(':memory:')
    const deeds = noDeeds()
    const entries = await withWorker(at, talkProgram(deeds), async (host) => {
      await host.submit(talkProgram(deeds), {} as never, { id: ID })
      for (const message of MESSAGES) {
        await until(async () => await isSuspended(host))
        await host.send(ID, message)
        await until(async () => await isSuspended(host))
        if (message === MESSAGES[0]) await allow(host)
      }
      return await at.store.entries(ID)
    })
    return { 'entries.json': JSON.stringify({ version: 3, kind: 'chat', entries }) }
  },
  async read(files) {
    const { entries } = ChatJournal.load(JSON.parse(files['entries.json']!)).saveState()
    const at = sqlite(':memory:')
    const deeds = noDeeds()
    const { name, version } = talkProgram(deeds)
    await at.store.submit({ id: ID, name, version, input: {}, entries, messages: MESSAGES })
    const program = talkProgram(deeds)
    await check(createHost({ chats: [program], at: { ...at, close() {} } }))
    return await withWorker(at, program, async (host) => {
      await until(async () => (await isSuspended(host)) || (await host.get(ID))!.outcome !== null)
      await allow(host)
      await host.send(ID, 'end')
      const value = await host.result(ID)
      return JSON.parse(JSON.stringify({ asked: deeds.asked.count, value, paid: deeds.paid })) as Record<
        string,
        unknown
      >
    })
  },
  newer(files) {
    const saved = JSON.parse(files['entries.json']!) as { entries: JournalEntry[] }
    const at = saved.entries.findLastIndex(({ kind }) => kind === 'checkpoint')
    return { 'entries.json': JSON.stringify({ ...saved, entries: [newerEntry(saved.entries[at]!)] }) }
  },
}
