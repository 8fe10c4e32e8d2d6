import { XError } from '@x/kernel'
import { isBusy, openDatabase } from './database.ts'

/**
 * Makes this the only worker of a file until it is disposed of, or its process ends. The lock is one of the operating
 * system on a file beside, so that it ends with its process in every case, and holds between containers that share the
 * file.
 */
export function lockWorker(path: string): Disposable {
  const lock = openDatabase(`${path}-worker`, 0)
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!isBusy(error)) throw error
    throw new XError(
      'invalid-state',
      `cannot work on the chats in \`${path}\`: another worker has them; end it, or host them on Redis or Postgres for several workers`,
      { cause: error },
    )
  }
  return { [Symbol.dispose]: () => lock.close() }
}

/** Gives what locks the chats of a path for one worker at a time; those in memory are those of this process alone. */
export function workerLock(path: string): () => Disposable {
  if (path !== ':memory:') return () => lockWorker(path)
  let isWorking = false
  return () => {
    if (isWorking)
      throw new XError('invalid-state', 'cannot work on the chats in `:memory:`: there is a worker already')
    isWorking = true
    return { [Symbol.dispose]: () => void (isWorking = false) }
  }
}
