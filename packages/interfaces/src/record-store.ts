import type { MaybePromise } from './maybe-promise.ts'

/**
 * Computes a change of a record from its value, plain JSON or undefined where there is none, and from the time of the
 * store in milliseconds since 1970. It may be called several times, and only what it gives last holds: it has no effects
 * and changes nothing in place. To give the same `value` changes nothing; `undefined` forgets the record.
 */
export type RecordChange<T> = (value: unknown, now: number) => { readonly value: unknown; readonly answer: T }

/**
 * Small records that many processes share, such as the state of a limiter. A change is made as a whole, between no other
 * two halves of a change. Where it fails nobody knows whether it was made.
 */
export interface RecordStore {
  /**
   * Changes a record; gives the answer of the change that was made. `durable` says whether a store that goes down keeps it
   * then; default true. Without, it need not wait for its disk.
   */
  change<T>(key: string, change: RecordChange<T>, options?: { readonly durable?: boolean | undefined }): MaybePromise<T>
}
