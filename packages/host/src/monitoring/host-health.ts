import type { HostBackend } from '@x/interfaces'
import type { HostHealth } from '../host.ts'
import { withinTime } from './within-time.ts'

/** Seconds within which a store has to answer for its host to be ready. */
const ANSWERS = 2

/** What a process knows of its host. */
interface HostState {
  readonly isClosed: boolean
  /** Whether a worker gives its chats back, or the process is asked to end. */
  readonly isEnding: boolean
}

/** Says how a host is. */
export async function hostHealth({ store, name }: HostBackend, { isClosed, isEnding }: HostState): Promise<HostHealth> {
  const reasons = isClosed ? ['the host is closed'] : []
  if (isEnding) reasons.push('the worker hands its chats over')
  if (!isClosed && !(await answers(store))) reasons.push(`the store (${name}) does not answer`)
  return { live: !isClosed, ready: reasons.length === 0, reasons }
}

async function answers(store: HostBackend['store']): Promise<boolean> {
  try {
    await withinTime(() => store.get('health'), ANSWERS)
    return true
  } catch {
    return false
  }
}
