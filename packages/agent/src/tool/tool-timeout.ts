import type { MaybePromise, ToolContext } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { partRun } from '@x/kernel/run'

/** Longest time a timer of the platform can run, in milliseconds. */
const LONGEST = 2 ** 31 - 1

/** Name and limit of a tool. */
export interface TimedTool {
  readonly name: string
  /** Seconds. */
  readonly timeout: number
}

/**
 * Runs a tool within its time: then its signal fires and the call fails with `timeout`, whether the tool listens or not.
 * A tool that blocks cannot be stopped and has no limit.
 */
export function withinTime<T>(
  { name, timeout }: TimedTool,
  execute: (context: ToolContext) => MaybePromise<T>,
  context: ToolContext,
): MaybePromise<T> {
  const late = new AbortController()
  const { run } = context
  const signal = context.signal ? AbortSignal.any([context.signal, late.signal]) : late.signal
  // What the tool starts in its run has the same time as the tool.
  const timed = run && partRun(run, { signal })
  const { callId, key, io, emit } = context
  const result = execute({ callId, key, io, run: timed?.run, signal, emit })
  if (!isThenable(result)) {
    timed?.end()
    return result
  }
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(
      () => {
        reject(new XError('timeout', `${name} gave no result within ${timeout} s`))
        late.abort()
      },
      Math.min(timeout * 1000, LONGEST),
    )
    const stop = (): void => {
      clearTimeout(timer)
      timed?.end()
    }
    // A run that is stopped waits for nothing, and its process can end.
    signal.addEventListener('abort', stop, { once: true })
    result.then(resolve, reject).then(stop, stop)
  })
}
