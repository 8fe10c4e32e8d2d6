import type { ChatOutcome, ErrorCode, HostedChat } from '@x/interfaces'
import { XError } from '@x/kernel'
import { damagedChat } from '@x/kernel/hosting'

/** Whether two inputs mean the same as JSON, whatever the order of keys. */
export const sameInput = (one: unknown, other: unknown): boolean => ordered(one) === ordered(other)

const ordered = (value: unknown): string =>
  JSON.stringify(value ?? null, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

/** Fails for a chat that its store does not have as it was written. */
export function checkWhole({ id, damage }: HostedChat): void {
  if (damage !== null) throw damagedChat(id, damage)
}

/** Fails for a chat that is not there. */
export function unknownChat(id: string): never {
  throw new XError('invalid-argument', `no chat \`${id}\`: submit it first, or look for it with \`list\``, {
    details: { id },
  })
}

/** The error of a chat that did not end with a value. */
export function outcomeError(id: string, outcome: Exclude<ChatOutcome, { readonly state: 'done' }>): XError {
  if (outcome.state === 'cancelled') {
    return new XError('aborted', `the chat \`${id}\` was cancelled: ${outcome.reason}`, { details: { id } })
  }
  const { code, message } = outcome.error
  return new XError((code as ErrorCode | null) ?? 'invalid-state', `the chat \`${id}\` has failed: ${message}`, {
    details: { id, code },
  })
}

/** The error of a part as its chat meets it: with its own code and message, as if it had happened in the chat. */
export function partError(
  id: string,
  { code, message }: { readonly code: string | null; readonly message: string },
): Error {
  return code === null ? new Error(message) : new XError(code as ErrorCode, message, { details: { id } })
}
