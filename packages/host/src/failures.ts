import type { HostBackend, HostedChat } from '@x/interfaces'
import type { FailureOptions } from './host-options.ts'
import { listChats } from './list-chats.ts'
import { parentOf } from './run/parts.ts'

/** The chats of a program that have failed for one reason: by a kind and code, or without both by the text of the error. */
export interface FailureGroup {
  readonly name: string
  readonly version: string
  readonly state: 'failed' | 'waiting-to-retry'
  readonly kind: string | null
  readonly code: string | null
  /** Text of the error of the first chat. */
  readonly message: string
  readonly count: number
  /** Identifiers of the first 100 chats. */
  readonly ids: readonly string[]
}

/** Most identifiers in a group. */
const MAX_IDS = 100

/** Why a chat has failed. */
type FailureReason = Pick<FailureGroup, 'kind' | 'code' | 'message'>

/** Returns why a chat has failed, or waits to retry; null for any other chat. */
export function failureReason({ outcome, state, retry, reason }: HostedChat): FailureReason | null {
  if (outcome?.state === 'failed') {
    const { code, message, kind = null } = outcome.error
    return { kind, code, message }
  }
  return state === 'waiting-to-retry' ? { kind: retry?.kind ?? null, code: null, message: reason ?? '' } : null
}

/** Lists chats that have failed, without parts: their parents decide on them. */
export async function* failedChats(
  { store }: HostBackend,
  { state = 'failed', chat, kind, code, message }: FailureOptions,
): AsyncGenerator<{ readonly chat: HostedChat; readonly why: FailureReason }> {
  const program = chat && { name: chat.name, version: chat.version }
  for await (const each of listChats(store, { state, kind: program })) {
    const why = parentOf(each.id) === undefined ? failureReason(each) : null
    const fits =
      why &&
      (kind === undefined || kind === why.kind) &&
      (code === undefined || code === why.code) &&
      (message === undefined || message === why.message)
    if (fits) yield { chat: each, why }
  }
}

/** Groups failed chats by their reasons, the largest group first. */
export async function groupFailures(backend: HostBackend, options: FailureOptions): Promise<readonly FailureGroup[]> {
  const { state = 'failed' } = options
  const groups = new Map<string, FailureGroup & { count: number; readonly ids: string[] }>()
  for await (const { chat, why } of failedChats(backend, options)) {
    const { id, name, version } = chat
    const isNamed = why.kind !== null || why.code !== null
    const key = JSON.stringify([name, version, why.kind, why.code, isNamed ? '' : why.message])
    const group = groups.get(key) ?? { name, version, state, ...why, count: 0, ids: [] }
    groups.set(key, group)
    group.count++
    if (group.ids.length < MAX_IDS) group.ids.push(id)
  }
  return [...groups.values()].toSorted((one, other) => other.count - one.count)
}
