import type { HostedChat } from '@x/interfaces'
import type { BulkJobOptions } from 'bullmq'
import { newToken } from '../platform.ts'

/** So many attempts that no chat is given up, however often its workers die or the store does not answer. */
export const MAX_ATTEMPTS = 1_000_000

/** Most parts of a chat in one job. */
const MAX_PARTS_PER_JOB = 4

/** A chat to enqueue. */
export interface QueuedChat {
  readonly id: string
  /** Number of the turn; a job of one chat is added once for each turn. */
  readonly turn: number
  /** Milliseconds after which the job becomes available. */
  readonly delay: number
  /** The parent, if the chat is a part. */
  readonly parent?: string | undefined
  /** Puts the job before all others. */
  readonly isFirst?: boolean | undefined
  /** Default `normal`. */
  readonly priority?: HostedChat['priority'] | undefined
}

/** Priority of jobs of chats with `low` in BullMQ, where all jobs without one come first. */
const LOW_PRIORITY = 1

/** The data of a job: a chat, and further chats that the worker may run too. */
export interface JobData {
  readonly id: string
  readonly others?: readonly string[] | undefined
}

/** A job in the format of BullMQ. */
interface ChatJob {
  readonly name: string
  readonly data: JobData
  readonly opts: BulkJobOptions
}

/** Makes the jobs of a batch of chats. Parts of one chat share jobs, because a job costs more than the part itself. */
export function jobsOf(chats: readonly QueuedChat[]): ChatJob[] {
  const jobs: ChatJob[] = []
  const partsByParent = new Map<string, QueuedChat[]>()
  for (const chat of chats) {
    if (chat.parent === undefined || chat.delay > 0) jobs.push(jobOf(chat, []))
    else if (partsByParent.has(chat.parent)) partsByParent.get(chat.parent)!.push(chat)
    else partsByParent.set(chat.parent, [chat])
  }
  for (const parts of partsByParent.values()) {
    for (let first = 0; first < parts.length; first += MAX_PARTS_PER_JOB) {
      const [chat, ...others] = parts.slice(first, first + MAX_PARTS_PER_JOB)
      jobs.push(jobOf(chat!, others))
    }
  }
  return jobs
}

function jobOf({ id, turn, delay, isFirst, priority }: QueuedChat, others: readonly QueuedChat[]): ChatJob {
  const removal = { removeOnComplete: true, removeOnFail: true }
  const turnId = turnIdOf(id, turn, delay > 0)
  // A token makes the identifier unique: jobs of several chats, and first ones, are not deduplicated.
  const jobId = others.length > 0 || isFirst ? `${turnId}~${newToken()}` : turnId
  return {
    name: 'turn',
    data: { id, ...(others.length > 0 && { others: others.map((other) => other.id) }) },
    opts: {
      jobId,
      attempts: MAX_ATTEMPTS,
      ...removal,
      ...(delay > 0 && { delay }),
      ...orderOf(isFirst ? 'high' : priority),
    },
  }
}

/** Returns the identifier of the job of one chat in a turn, at once or for later. */
export const turnIdOf = (id: string, turn: number, isLater: boolean): string =>
  `${Buffer.from(id).toString('base64url')}~${turn}${isLater ? '~later' : ''}`

/**
 * Returns the identifiers of jobs that chats leave behind as they are enqueued: each may have been delayed in the turn before, and
 * has gone on sooner, such as by a message. Their times may be months ahead.
 */
export const leftJobsOf = (chats: readonly QueuedChat[]): readonly string[] =>
  chats.flatMap(({ id, turn, delay }) => (turn > 0 && delay === 0 ? [turnIdOf(id, turn - 1, true)] : []))

/** Returns the options of a job for a priority. Jobs with `lifo` come before all others, the latest first. */
const orderOf = (priority: HostedChat['priority'] = 'normal'): BulkJobOptions => ({
  ...(priority === 'high' && { lifo: true }),
  ...(priority === 'low' && { priority: LOW_PRIORITY }),
})
