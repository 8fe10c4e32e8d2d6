import { resolve } from 'node:path'
import type { Isolation, MaybePromise } from '@x/interfaces'
import { isXError } from '@x/kernel'
import { writeConfined } from '../run/confined-file.ts'
import { failed, type Job, type LimitedBackend, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { listArtifacts } from '../run/list-artifacts.ts'
import type { Backend } from './backend.ts'
import { runLimited } from './run-limited.ts'

/** Seconds that a backend may take to say whether it can run a language. */
const START = 120

/** The place that a backend works in, as its executor knows it. */
export interface Workplace {
  readonly isolation: Isolation
  readonly workDir: string
}

/** Does around a backend of somebody else's all that does not depend on how it runs code: files, limits, errors. */
export function limitBackend(backend: Backend, { isolation, workDir }: Workplace): LimitedBackend {
  const keepsFiles = backend.artifacts !== undefined
  const faults = new Map<Runtime, Promise<string | null>>()

  const fault = async (runtime: Runtime): Promise<string | null> => {
    const known = faults.get(runtime)
    if (known) return await known
    const asked = withinStart(async () => await backend.fault(runtime))
    faults.set(runtime, asked)
    let able = false
    try {
      const why = await asked
      able = why === null
      return why
    } finally {
      // The machine may offer more the next time.
      if (!able) faults.delete(runtime)
    }
  }

  const runJob = async (job: Job, watch: Watch, savedAs: string | undefined): Promise<Outcome> => {
    const why = job.saveOnly ? null : await fault(job.runtime)
    if (why !== null) return { ...failed('unsupported-language', `cannot run ${job.runtime}: ${why}`), savedAs }
    const outcome = await runLimited(backend, job, { ...watch, workDir: keepsFiles ? undefined : workDir })
    // What ended the job may have ended the machine, which is started again outside the time of the next job.
    if (outcome.reason !== 'exit' || watch.signal?.aborted) faults.clear()
    const saved = savedAs ?? outcome.savedAs
    if (job.saveOnly) return outcome.exitCode === 0 ? savedOutcome(saved ?? job.file) : outcome
    return { isolation: backend.isolation ?? isolation, ...outcome, savedAs: saved }
  }

  return {
    get isolation() {
      return backend.isolation ?? isolation
    },
    fault,
    async run(job, watch) {
      if (keepsFiles) return await runJob(job, watch, undefined)
      try {
        writeConfined(workDir, job.file, job.code)
      } catch (error) {
        return failed('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, job.file)
      return job.saveOnly ? savedOutcome(savedAs) : await runJob(job, watch, savedAs)
    },
    artifacts: async () => (backend.artifacts ? await backend.artifacts() : listArtifacts(workDir)),
    async restart() {
      await backend.restart?.()
      faults.clear()
    },
    close: async () => await backend.close?.(),
  }
}

const savedOutcome = (savedAs: string): Outcome => ({
  ...failed('saved', '', 0),
  stdout: `Code saved to ${savedAs}\n`,
  savedAs,
})

/** Waits for an answer, and gives a reason of its own when none comes in time. */
async function withinStart(ask: () => MaybePromise<string | null>): Promise<string | null> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<string>()
  const timer = setTimeout(() => giveUp(`the backend did not get ready within ${START} s`), START * 1000)
  try {
    return await Promise.race([ask(), late])
  } catch (error) {
    if (isXError(error) || !(error instanceof Error)) throw error
    return error.message
  } finally {
    clearTimeout(timer)
  }
}
