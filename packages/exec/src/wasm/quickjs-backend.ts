import { Worker } from 'node:worker_threads'
import type { StopReason } from '@x/interfaces'
import { failed, type Backend, type Job, type Outcome, type OutputChunk, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { threadFile, threadOptions } from '../backend/thread.ts'
import type { Said, Task } from './quickjs-worker.ts'

/** JavaScript and TypeScript in WebAssembly. */
export interface QuickjsSpec {
  readonly kind: 'quickjs'
}

/** Milliseconds that the thread may take to get ready. */
const START = 60_000

const RUNTIMES: ReadonlySet<Runtime> = new Set(['javascript', 'typescript'])

/**
 * Runs JavaScript and TypeScript by QuickJS, each block in an engine and a thread of its own: it has a console, timers
 * and nothing of the machine, no files and no network.
 */
export function quickjsBackend(): Backend {
  const fault = async (runtime: Runtime): Promise<string | null> =>
    RUNTIMES.has(runtime) ? null : 'only JavaScript and TypeScript run in WebAssembly here'
  return {
    isolation: 'wasm',
    fault,
    async run(job, watch) {
      const why = await fault(job.runtime)
      if (why !== null) return failed('unsupported-language', `\nunknown language ${job.runtime}: ${why}`)
      return await inThread(job, watch)
    },
    artifacts: async () => [],
    close: async () => {},
  }
}

async function inThread({ runtime, code, limits }: Job, { signal, onOutput }: Watch): Promise<Outcome> {
  const task: Task = { runtime, code, memoryBytes: limits.memoryBytes, outputBytes: limits.outputBytes }
  const worker = new Worker(threadFile('quickjs-worker', import.meta.url), {
    ...threadOptions(import.meta.url),
    workerData: task,
    // The engine's memory lies outside this heap; what is inside is ours alone.
    resourceLimits: { maxOldGenerationSizeMb: 128 },
  })
  const live: OutputChunk[] = []
  let over = false
  const end = Promise.withResolvers<Outcome>()
  const stopped = (reason: StopReason, exitCode: number): void =>
    end.resolve({ ...kept(live), exitCode, reason, truncatedBytes: 0 })
  let timer = setTimeout(() => stopped('timeout', 124), START)
  const onAbort = (): void => stopped('exit', 137)
  signal?.addEventListener('abort', onAbort)
  if (signal?.aborted) onAbort()
  worker.on('message', (said: Said) => {
    if ('chunk' in said) {
      live.push(said.chunk)
      onOutput?.(said.chunk)
    } else if ('ready' in said) {
      clearTimeout(timer)
      if (!over) timer = setTimeout(() => stopped('timeout', 124), limits.timeout * 1000)
    } else end.resolve(said.outcome)
  })
  worker.on('error', (error: Error) =>
    end.resolve({ ...failed('memory', `${error.message}\n`, 137), stdout: kept(live).stdout }),
  )
  worker.on('exit', () => stopped('exit', 1))
  try {
    return { ...(await end.promise), isolation: 'wasm', savedAs: null }
  } finally {
    over = true
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    await worker.terminate()
  }
}

function kept(chunks: readonly OutputChunk[]): { stdout: string; stderr: string } {
  const of = (stream: OutputChunk['stream']): string =>
    chunks
      .filter((chunk) => chunk.stream === stream)
      .map((chunk) => chunk.text)
      .join('')
  return { stdout: of('stdout'), stderr: of('stderr') }
}
