import type { ClaimedChat, HostBackend, HostedChat, JournalEntry } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { digestOf } from '../platform.ts'
import { readMessages } from './messages.ts'
import { entriesAbout, isAbout } from './turn-events.ts'

/** Name of the last entry of a chat that cancels what vendors still do for another one. */
const CANCEL_ENTRY_NAME = 'cancel'

/** The value of that entry. */
interface CancelledChat {
  /** Identifier of the chat that was cancelled. */
  readonly chat: string
}

/** Returns the identifier of the chat that cancels at vendors what they do for another chat; no program gives a chat such a one. */
const cancellingId = (id: string): string => `${id}/cancel-${digestOf(id)}`

/** True until nothing is done any more at vendors for a chat that was cancelled. */
export const isCancelling = async ({ store }: HostBackend, id: string): Promise<boolean> =>
  (await store.get(cancellingId(id)))?.outcome === null

/**
 * Cancels a chat. If a vendor still works on an answer that the chat waits for, only its program has the means to cancel that:
 * a copy of the chat goes to a worker, which runs the program up to there.
 */
export async function cancelChat(
  { store, queue }: HostBackend,
  id: string,
  reason: string,
): Promise<HostedChat | 'ended'> {
  const chat = await store.cancel(id, reason)
  if (chat === 'ended' || chat.damage !== null) return chat
  const entries = await entriesOf(store, id)
  if (!awaitsVendor(entries) || isCancelEntry(entries.at(-1))) return chat
  const cancelled: CancelledChat = { chat: id }
  const messages = readMessages(id, await store.messages(id))
  const { name, version, input, tenant, tags, priority } = chat
  const labels = { tenant: tenant ?? undefined, tags, priority }
  const copy = {
    id: cancellingId(id),
    name,
    version,
    input,
    ...labels,
    entries: await entriesAbout(entries, CANCEL_ENTRY_NAME, cancelled),
    messages,
  }
  const submitted = await store.submit(copy)
  if (submitted.chat.state === 'waiting') await queue.add(submitted.chat)
  return chat
}

/** Returns the entries of a chat; none if they cannot be read. */
async function entriesOf(store: HostBackend['store'], id: string): Promise<readonly JournalEntry[]> {
  try {
    return await store.entries(id)
  } catch (error) {
    if (isXError(error, 'invalid-state')) return []
    throw error
  }
}

/** Beginnings of the names of what a journal keeps of an answer of a call that a vendor works on. */
const VENDOR_NAMES = /^(?:batch|background) /u

/** True if a vendor works on an answer to a call of a model, a search or a batch of a program in a journal. */
export function awaitsVendor(entries: readonly JournalEntry[]): boolean {
  const answered = new Set(entries.flatMap(({ kind, place }) => (kind === 'job' ? [] : [place])))
  let batches = 0
  for (const { kind, name = '', place } of entries) {
    if (kind === 'job' && VENDOR_NAMES.test(name) && !answered.has(place)) return true
    if (kind === 'tool' && name === 'batch key') batches++
    if (kind === 'tool' && name === 'batch results') batches--
  }
  return batches > 0
}

/** A chat that was cancelled, as its worker would have gone on with it. */
export type LeftChat = Pick<ClaimedChat, 'id' | 'input' | 'entries' | 'messages'>

/** Returns the chat for which a chat cancels at vendors what they do; undefined for any other chat. */
export function cancelledIn({ input, entries, messages }: LeftChat): LeftChat | undefined {
  const last = entries.at(-1)
  if (!isCancelEntry(last)) return undefined
  return { id: (last!.value as CancelledChat).chat, input, entries: entries.slice(0, -1), messages }
}

const isCancelEntry = (entry: JournalEntry | undefined): boolean =>
  entry !== undefined && isAbout(entry, CANCEL_ENTRY_NAME)
