import { createRequire } from 'node:module'
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { XError } from '@x/kernel'
import { spawned } from '../backend/spawned.ts'
import { threadFile } from '../backend/thread.ts'
import { writeConfined } from '../run/confined-file.ts'
import { Gate } from '../run/gate.ts'
import { failed, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import { limitsOf, type ExecutionLimits } from '../run/limits.ts'
import { listArtifacts } from '../run/list-artifacts.ts'
import { bounded, confinedNode } from './confined-node.ts'
import { packed, unpacked, untilReady } from './parcels.ts'
import type { PythonTask } from './python-child.ts'
import { filesOf, keepFiles } from './python-workspace.ts'

/** Python in WebAssembly. */
export interface PyodideSpec {
  readonly kind: 'pyodide'
  readonly workDir: string
  readonly env: Readonly<Record<string, string>>
  /** Address of the module that Pyodide is looked for from; default: this one. */
  readonly from?: string | undefined
}

const MIB = 2 ** 20

/** Bytes of memory that the process takes beside Python's. */
const OWN_MEMORY = 384 * MIB

/** Each takes some 200 MB. */
const AT_ONCE = 2

const MISSING = 'Python in WebAssembly needs `pyodide`, which is not installed: run `npm i pyodide`'

const PROBE = limitsOf({ timeout: 120, outputBytes: 16_384 })

/**
 * Runs Python by Pyodide, each block in a process of its own from which everything that reaches the machine was taken.
 * The work directory is copied into the process's memory and what changed is copied back; a block that is ended early
 * leaves its output and no files. Without its package, which is an optional peer, it says which to install.
 */
export function pyodideBackend({ workDir, env, from = import.meta.url }: PyodideSpec): LimitedBackend {
  const gate = new Gate(AT_ONCE)
  /** Memory of a Python that was just loaded, from which the next start is several times as fast; null for none. */
  let image: Uint8Array | null | undefined
  let probed: Promise<string | null> | undefined

  /** Really loads Python, once. */
  const probe = async (): Promise<string | null> => {
    if (locatePyodide(from) === null) return MISSING
    const { exitCode, stderr } = await started(null, [], PROBE, {})
    return exitCode === 0 ? null : `Pyodide does not start: ${stderr.trim().split('\n').at(-1) ?? ''}`
  }
  const fault = async (): Promise<string | null> => {
    const missing = await (probed ??= probe())
    // It may be installed the next time.
    if (missing !== null) probed = undefined
    return missing
  }

  /** Starts the process with what is known of an image, and keeps the one it makes. */
  const started = async (
    file: string | null,
    input: readonly Uint8Array[],
    limits: ExecutionLimits,
    watch: Watch,
  ): Promise<Outcome & { said: Uint8Array }> => {
    const known = image
    const pyodide = locatePyodide(from)!
    const task = { pyodide, file, env, image: known ? 'given' : known === undefined ? 'wanted' : 'none' } as const
    const outcome = await start(task, [...(known ? packed({}, known) : []), ...input], limits, watch)
    if (known !== undefined) return outcome
    // It was made before the code ran, and is the first thing said. Pyodide does not promise that there is one.
    const [first] = unpacked(outcome.said)
    if (first) image ??= (first.header as { image?: unknown }).image === true ? first.body.slice() : null
    return outcome
  }

  const run = async ({ file, limits }: Job, watch: Watch): Promise<Outcome> => {
    const files = filesOf(workDir, limits)
    if (files === null) return failed('disk', 'the work directory holds more than its limits allow')
    const { said, ...outcome } = await started(file, files.pieces, limits, watch)
    // A process that was ended has not said what became of its files.
    if (outcome.reason === 'exit' && !watch.signal?.aborted) keepFiles(workDir, said, files.names, limits)
    return outcome
  }

  return {
    isolation: 'wasm',
    async fault(runtime) {
      return runtime === 'python' ? await fault() : 'only Python runs by Pyodide'
    },
    async run(job, watch) {
      if (job.runtime !== 'python' && !job.saveOnly) {
        return failed('unsupported-language', `\nunknown language ${job.runtime}: only Python runs by Pyodide`)
      }
      if (locatePyodide(from) === null) throw new XError('no-sandbox', `cannot run Python: ${MISSING}`)
      try {
        writeConfined(workDir, job.file, job.code)
      } catch (error) {
        return failed('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, job.file)
      if (job.saveOnly) return { ...failed('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
      return { ...(await gate.pass(() => run(job, watch), watch.signal)), isolation: 'wasm', savedAs }
    },
    artifacts: async () => listArtifacts(workDir),
    close: async () => {},
  }
}

/** Directory of Pyodide's package as seen from a module; null where it is not installed. */
function locatePyodide(from: string): string | null {
  try {
    return realpathSync(dirname(createRequire(from).resolve('pyodide/package.json')))
  } catch {
    return null
  }
}

/** Runs the process to its end: what it printed, and what else it said. */
async function start(
  task: Pick<PythonTask, 'pyodide' | 'file' | 'env' | 'image'>,
  input: readonly Uint8Array[],
  limits: ExecutionLimits,
  watch: Watch,
): Promise<Outcome & { said: Uint8Array }> {
  const { memoryBytes, fileBytes, workspaceBytes, workspaceEntries } = limits
  const whole: PythonTask = { ...task, memoryBytes, fileBytes, workspaceBytes, workspaceEntries }
  const said: Uint8Array[] = []
  let bytes = 0
  const { begins, hear } = untilReady()
  // What it says is believed no more than what it prints: it is kept up to what the work directory may hold.
  const most = workspaceBytes + workspaceEntries * 2_048 + 64 * MIB
  const outcome = await spawned(
    {
      argv: bounded(limits, confinedNode(fileURLToPath(threadFile('python-child', import.meta.url)), [task.pyodide])),
      env: {},
      cwd: task.pyodide,
      limits: { ...limits, memoryBytes: memoryBytes + OWN_MEMORY },
      begins,
      input: [...packed(whole), ...input],
      third(data) {
        bytes += data.length
        if (bytes <= most) said.push(data)
        hear(data)
      },
    },
    watch,
  )
  return { ...outcome, said: Buffer.concat(said) }
}
