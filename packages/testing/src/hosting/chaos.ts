import type { ChildProcess } from 'node:child_process'
import type { MaybePromise } from '@x/interfaces'

/** A signal that hits a worker. */
type Blow = 'SIGKILL' | 'SIGSTOP' | 'SIGTERM'

/** Options of {@link chaos}. */
export interface ChaosOptions {
  /** Starts a worker in its own process, which begins to work at once; called again after the worker has ended. */
  readonly start: (worker: number) => ChildProcess
  /** Number of workers. */
  readonly workers: number
  /** Tells whether all work is done; polled until it is. */
  readonly isDone: () => MaybePromise<boolean>
  /** Signals that hit workers; default: all three. */
  readonly blows?: readonly Blow[] | undefined
  /** Number of signals after which the workers are left alone until the work is done; default 20. */
  readonly most?: number | undefined
  /** Seconds between two signals, at most; default 0.5. */
  readonly every?: number | undefined
  /** Seconds between `SIGSTOP` and `SIGCONT`; default 3. */
  readonly stopped?: number | undefined
  /** Seconds after which `chaos` fails; default 60. */
  readonly timeout?: number | undefined
  /** Random numbers in [0, 1). */
  readonly random: () => number
}

/** Counts of what {@link chaos} did to its workers. */
export interface ChaosReport {
  readonly kills: number
  readonly stops: number
  readonly ends: number
  /** Processes that were started. */
  readonly starts: number
}

/**
 * Runs workers in processes, kills, stops and ends them at random moments, and restarts them until the work is done. Fails
 * when the work is not done in time, or when a worker ends with an error.
 */
export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { workers, isDone, most = 20, every = 0.5, timeout = 60, random } = options
  const { blows = ['SIGKILL', 'SIGSTOP', 'SIGTERM'], stopped = 3 } = options
  const done = { SIGKILL: 0, SIGSTOP: 0, SIGTERM: 0 }
  const running = new Map<number, ChildProcess>()
  const failures: string[] = []
  const late = AbortSignal.timeout(timeout * 1000)
  let starts = 0
  let over = false
  const start = (worker: number): void => {
    starts++
    const child = options.start(worker)
    running.set(worker, child)
    child.once('close', (status, signal) => {
      if (status !== 0 && status !== null) failures.push(`worker ${worker} ended with status ${status}`)
      if (signal !== null && !Object.hasOwn(done, signal)) failures.push(`worker ${worker} ended by ${signal}`)
      running.delete(worker)
      if (!over) start(worker)
    })
  }
  try {
    for (let worker = 0; worker < workers; worker++) start(worker)
    while (!(await isDone())) {
      if (failures.length > 0) throw new Error(failures.join('; '))
      if (late.aborted) throw new Error(`the work was not done within ${timeout} s`)
      await later(random() * every * 1000)
      if (done.SIGKILL + done.SIGSTOP + done.SIGTERM >= most) continue
      const child = running.get(Math.floor(random() * workers))
      const blow = blows[Math.floor(random() * blows.length)]!
      if (!child?.kill(blow)) continue
      done[blow]++
      if (blow === 'SIGSTOP') void later(stopped * 1000).then(() => child.kill('SIGCONT'))
    }
    if (failures.length > 0) throw new Error(failures.join('; '))
  } finally {
    over = true
    await Promise.all([...running.values()].map(ended))
  }
  return { kills: done.SIGKILL, stops: done.SIGSTOP, ends: done.SIGTERM, starts }
}

async function ended(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve) => {
    child.once('close', () => resolve())
    child.kill('SIGKILL')
  })
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
