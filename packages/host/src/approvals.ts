import { decisionEntry, pendingIn } from '@x/agent'
import type { ApprovalDecision, ChatStore, HostedChat, JournalEntry } from '@x/interfaces'
import { XError } from '@x/kernel'
import { endedChat, unknownChat } from './chat-errors.ts'

/** Decides on a call that waits; gives the chat as it stands then. */
export async function decideOn(
  store: ChatStore,
  call: { readonly id: string; readonly pendingId: string },
  decision: ApprovalDecision,
  by: string | null,
): Promise<HostedChat> {
  const { id, pendingId } = call
  const entries = (await store.entries(id)).filter(({ place }) => place === pendingId)
  const [pending] = pendingIn(entries)
  if (!pending) return await notPending(store, call, entries)
  const decided = await store.decide(id, decisionEntry(pending, decision), by)
  if (decided === 'ended') return await endedChat(store, id, 'decide in')
  if (decided === 'known') return decidedBefore(call)
  return decided
}

async function notPending(
  store: ChatStore,
  call: { readonly id: string; readonly pendingId: string },
  entries: readonly JournalEntry[],
): Promise<never> {
  if (entries.some(({ kind }) => kind === 'decision')) return decidedBefore(call)
  const { id, pendingId } = call
  if (!(await store.get(id))) return unknownChat(id)
  const problem = `no pending approval \`${pendingId}\` in the chat \`${id}\`; see \`host.pending\``
  throw new XError('invalid-state', problem, { details: { id, pendingId } })
}

function decidedBefore({ id, pendingId }: { readonly id: string; readonly pendingId: string }): never {
  throw new XError('invalid-state', `\`${pendingId}\` of the chat \`${id}\` was decided on before`, {
    details: { id, pendingId },
  })
}
