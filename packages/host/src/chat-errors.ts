import type { ChatOutcome, ChatStore, ErrorCode, HostedChat } from '@x/interfaces'
import { XError } from '@x/kernel'
import { damagedChat } from '@x/kernel/hosting'

/** Fails for a chat with a damaged record. */
export function checkWhole({ id, damage }: HostedChat): void {
  if (damage !== null) throw damagedChat(id, damage)
}

/** Fails for a chat that does not exist. */
export function unknownChat(id: string): never {
  throw new XError('invalid-argument', `no chat \`${id}\`: submit it first, or look for it with \`list\``, {
    details: { id },
  })
}

/** Fails for a chat that has ended or does not exist; the error says what was attempted. */
export async function endedChat(store: ChatStore, id: string, attempt: string): Promise<never> {
  const { state } = (await store.get(id)) ?? unknownChat(id)
  throw new XError('invalid-state', `cannot ${attempt} the chat \`${id}\`: it is ${state}`, { details: { id } })
}

/** Makes the error of a chat that failed or was cancelled. */
export function outcomeError(id: string, outcome: Exclude<ChatOutcome, { readonly state: 'done' }>): XError {
  if (outcome.state === 'cancelled') {
    return new XError('aborted', `the chat \`${id}\` was cancelled: ${outcome.reason}`, { details: { id } })
  }
  const { code, message } = outcome.error
  return new XError((code as ErrorCode | null) ?? 'invalid-state', `the chat \`${id}\` has failed: ${message}`, {
    details: { id, code },
  })
}

/** Makes the error of a failed part as its parent gets it: with the code and message of the part, as if the parent had thrown it. */
export function partError(
  id: string,
  { code, message }: { readonly code: string | null; readonly message: string },
): Error {
  return code === null ? new Error(message) : new XError(code as ErrorCode, message, { details: { id, isPart: true } })
}
