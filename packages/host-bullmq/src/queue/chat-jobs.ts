import type { BulkJobOptions } from 'bullmq'
import { newToken } from '../platform.ts'

/** Enough for no chat to be given up, however often its workers die or the store does not answer. */
export const OFTEN = 1_000_000

/** Most parts of a chat in one job. */
const TOGETHER = 4

/** A chat that is put in line. */
export interface AddedChat {
  readonly id: string
  /** The turn that it is added for: a job of its own is added once for it. */
  readonly turn: number
  /** Milliseconds after which it comes. */
  readonly delay: number
  /** The chat of which it is a part. */
  readonly whole?: string | undefined
  /** Puts it before all others. */
  readonly isFirst?: boolean | undefined
}

/** The content of a job: a chat, and others that whoever takes it may run, too. */
export interface JobData {
  readonly id: string
  readonly others?: readonly string[] | undefined
}

/** A job as BullMQ takes it. */
interface ChatJob {
  readonly name: string
  readonly data: JobData
  readonly opts: BulkJobOptions
}

/** The jobs of chats that come at once: parts of one chat share some, since each job costs more than the part itself. */
export function jobsOf(chats: readonly AddedChat[]): ChatJob[] {
  const jobs: ChatJob[] = []
  const parts = new Map<string, AddedChat[]>()
  for (const chat of chats) {
    if (chat.whole === undefined || chat.delay > 0) jobs.push(jobOf(chat, []))
    else if (parts.has(chat.whole)) parts.get(chat.whole)!.push(chat)
    else parts.set(chat.whole, [chat])
  }
  for (const ofWhole of parts.values()) {
    for (let first = 0; first < ofWhole.length; first += TOGETHER) {
      const [chat, ...others] = ofWhole.slice(first, first + TOGETHER)
      jobs.push(jobOf(chat!, others))
    }
  }
  return jobs
}

function jobOf({ id, turn, delay, isFirst }: AddedChat, others: readonly AddedChat[]): ChatJob {
  const ended = { removeOnComplete: true, removeOnFail: true }
  const own = `${Buffer.from(id).toString('base64url')}~${turn}${delay > 0 ? '~later' : ''}`
  // A job of several is none of those that are added once.
  const jobId = others.length > 0 || isFirst ? `${own}~${newToken()}` : own
  return {
    name: 'turn',
    data: { id, ...(others.length > 0 && { others: others.map((other) => other.id) }) },
    opts: { jobId, attempts: OFTEN, ...ended, ...(delay > 0 && { delay }), ...(isFirst && { lifo: true }) },
  }
}
