import { Worker } from 'node:worker_threads'
import { type Play, playTask, type Task } from './play.ts'

/** Plays tasks. */
export interface Crew {
  /** Plays tasks, several at once; returns their plays in the order of the tasks. */
  readonly play: (tasks: readonly Task[]) => Promise<Play[][][]>
  readonly end: () => Promise<void>
}

/** Plays tasks in this thread, one after the other. */
export const loneCrew = (): Crew => ({
  play: (tasks) => Promise.resolve(tasks.map(playTask)),
  end: () => Promise.resolve(),
})

/** Plays tasks in threads; an error in one of them rejects the tasks. */
export function crewOf(size: number): Crew {
  if (size < 2) return loneCrew()
  const threads = Array.from({ length: size }, () => new Worker(new URL('crew-thread.ts', import.meta.url)))
  return {
    async play(tasks) {
      const plays: Play[][][] = []
      let next = 0
      const work = async (thread: Worker): Promise<void> => {
        for (let i = next++; i < tasks.length; i = next++) plays[i] = await ask(thread, tasks[i]!)
      }
      await Promise.all(threads.map(work))
      return plays
    },
    async end() {
      await Promise.all(threads.map((thread) => thread.terminate()))
    },
  }
}

const ask = (thread: Worker, task: Task): Promise<Play[][]> =>
  new Promise((resolve, reject) => {
    const onPlays = (plays: Play[][]): void => {
      thread.off('error', reject)
      resolve(plays)
    }
    thread.once('message', onPlays)
    thread.once('error', reject)
    thread.postMessage(task)
  })
