import type {
  ChatKind,
  ChatStore,
  ClaimedChat,
  HostBackend,
  HostedChat,
  JournalEntry,
  MaybePromise,
} from '@x/interfaces'

/** Description of a backend of a host for `chatStoreContract`, `chatQueueContract` and `eventLogContract`. */
export interface HostingContract {
  /** Name in the titles of the tests. */
  readonly name: string
  /** Creates an empty backend; the suite closes it after each test. */
  readonly create: () => MaybePromise<HostBackend>
}

/** The program of the chats of a test. */
export const CHAT_KIND: ChatKind = { name: 'clerk', version: '1' }

/** A later version of that program. */
export const LATER_KIND: ChatKind = { name: 'clerk', version: '2' }

/** Makes an entry that keeps an answer; stores do not read checksums. */
export const keptEntry = (seq: number, place: string, value: unknown): JournalEntry => ({
  seq,
  place,
  kind: 'tool',
  name: 'look',
  value,
  checksum: '00000000',
})

/** Makes an entry that asks for a decision. */
export const questionEntry = (seq: number, place: string): JournalEntry => ({
  seq,
  place,
  kind: 'question',
  value: { id: place, agent: 'user' },
  checksum: '00000000',
})

/** Makes an entry that decides. */
export const decidedEntry = (place: string, allow = true): JournalEntry => ({
  place,
  kind: 'decision',
  value: { allow },
  checksum: '00000000',
})

/** Lease that no test outlives. */
export const LEASE_SECONDS = 600

/** Adds a test that runs on a new, empty store. */
export type StoreCheck = (title: string, use: (store: ChatStore) => Promise<void>) => void

/** Submits a chat of a test. */
export const submitChat = async (store: ChatStore, id: string, at?: number): Promise<HostedChat> =>
  (await store.submit({ id, ...CHAT_KIND, input: { n: 1 }, at })).chat

/** Claims a chat that may be claimed. */
export const claimChat = async (store: ChatStore, id: string, lease: number = LEASE_SECONDS): Promise<ClaimedChat> =>
  (await store.claim(id, lease))!
