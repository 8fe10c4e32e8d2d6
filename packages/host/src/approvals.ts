import { decisionEntry, pendingIn } from '@x/agent'
import type {
  ApprovalDecision,
  ChatStore,
  HostedChat,
  JournalEntry,
  PendingApproval,
  PendingQuestion,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import { damagedChat } from '@x/kernel/hosting'
import { endedChat, unknownChat } from './chat-errors.ts'
import { questionsIn } from './run/deadlines.ts'
import { rootOf } from './run/parts.ts'

/** Number of questions that are read at once. */
const QUESTIONS_PER_PAGE = 100

/** The pending approvals that are asked for; default: all. */
interface PendingFilter {
  readonly agent?: string | undefined
  readonly tenant?: string | undefined
  readonly chat?: string | undefined
}

interface PendingInChat {
  readonly chat: string
  readonly pending: PendingApproval
}

/** Reads the pending approvals of all chats. A damaged question hides none of the others. */
export class PendingApprovals {
  readonly #store: ChatStore
  readonly #onDamage: (error: unknown) => void
  /** Chats whose damaged questions were reported. */
  readonly #reported = new Set<string>()

  /** `onDamage` is called once for each chat with a damaged question. */
  constructor(store: ChatStore, onDamage: (error: unknown) => void) {
    this.#store = store
    this.#onDamage = onDamage
  }

  async *of({ agent, tenant, chat: id }: PendingFilter): AsyncGenerator<PendingInChat> {
    const isOfTenant = async ({ chat }: PendingInChat): Promise<boolean> =>
      tenant === undefined || (await this.#store.get(rootOf(chat)))?.tenant === tenant
    for await (const page of id === undefined ? this.#pages() : this.#pageOf(id)) {
      const isListed = await Promise.all(page.map(isOfTenant))
      yield* page.filter(({ pending }, index) => isListed[index] && (agent === undefined || pending.agent === agent))
    }
  }

  async *#pageOf(chat: string): AsyncGenerator<readonly PendingInChat[]> {
    if ((await this.#store.get(chat))?.outcome !== null) return
    yield questionsIn(await this.#store.entries(chat)).map((pending) => ({ chat, pending }))
  }

  async *#pages(): AsyncGenerator<readonly PendingInChat[]> {
    let after: string | null = null
    for (;;) {
      const page = await this.#store.pending(after, QUESTIONS_PER_PAGE)
      yield page.flatMap((question) => this.#read(question).map((pending) => ({ chat: question.chat, pending })))
      after = page.at(-1)?.cursor ?? null
      if (page.length < QUESTIONS_PER_PAGE) return
    }
  }

  #read({ chat, entry }: PendingQuestion): readonly PendingApproval[] {
    try {
      if (entry) return pendingIn([entry])
    } catch {
      // The entry is JSON, but its checksum differs.
    }
    if (!this.#reported.has(chat)) this.#onDamage(damagedChat(chat, 'a pending question is not as it was written'))
    this.#reported.add(chat)
    return []
  }
}

/** A pending approval, by the identifiers of its chat and itself. */
interface ApprovalId {
  readonly id: string
  readonly pendingId: string
}

/** Decides on a pending approval; returns the chat after that. */
export async function decideOn(
  store: ChatStore,
  approval: ApprovalId,
  decision: ApprovalDecision,
  by: string | null,
): Promise<HostedChat> {
  const { id, pendingId } = approval
  const all = await store.entries(id)
  const entries = all.filter(({ place, kind }) => place === pendingId || kind === 'checkpoint')
  const [pending] = questionsIn(entries)
  if (!pending) return await failNotPending(store, approval, entries)
  const entry = decisionEntry(pending, by === null ? decision : { ...decision, by })
  const chat = await store.decide(id, entry, by ?? decision.by ?? null)
  if (chat === 'ended') return await endedChat(store, id, 'decide in')
  if (chat === 'known') return failDecided(approval)
  return chat
}

async function failNotPending(
  store: ChatStore,
  approval: ApprovalId,
  entries: readonly JournalEntry[],
): Promise<never> {
  if (entries.some(({ kind }) => kind === 'decision')) return failDecided(approval)
  const { id, pendingId } = approval
  if (!(await store.get(id))) return unknownChat(id)
  const problem = `no pending approval \`${pendingId}\` in the chat \`${id}\`; see \`host.pending\``
  throw new XError('invalid-state', problem, { details: { id, pendingId } })
}

function failDecided({ id, pendingId }: ApprovalId): never {
  throw new XError(
    'invalid-state',
    `cannot decide on \`${pendingId}\` of the chat \`${id}\`: it has been decided already`,
    {
      details: { id, pendingId },
    },
  )
}
