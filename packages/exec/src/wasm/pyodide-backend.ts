import { createRequire } from 'node:module'
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { XError } from '@x/kernel'
import { spawned } from '../backend/spawned.ts'
import { threadFile } from '../backend/thread.ts'
import { writeConfined } from '../run/confined-file.ts'
import { Gate } from '../run/gate.ts'
import { failed, type Backend, type Job, type Outcome, type Watch } from '../run/job.ts'
import { limitsOf, type Limits } from '../run/limits.ts'
import { listArtifacts } from '../run/list-artifacts.ts'
import { packed, unpacked } from './parcels.ts'
import type { PythonTask } from './python-child.ts'
import { filesOf, keepFiles } from './python-workspace.ts'

/** Python in WebAssembly. */
export interface PyodideSpec {
  readonly kind: 'pyodide'
  readonly workDir: string
  readonly env: Readonly<Record<string, string>>
}

const MIB = 2 ** 20

/** What the process takes beside the memory of Python itself. */
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
export function pyodideBackend({ workDir, env }: PyodideSpec): Backend {
  const gate = new Gate(AT_ONCE)
  let ready: Promise<{ fault: string | null; image: Uint8Array | null }> | undefined

  /** Really loads Python, once, and keeps an image of its memory, from which the next start is five times as fast. */
  const probe = async (): Promise<{ fault: string | null; image: Uint8Array | null }> => {
    const pyodide = locate()
    if (pyodide === null) return { fault: MISSING, image: null }
    const made = await start({ pyodide, file: null, env: {}, image: false }, [], PROBE, {})
    if (made.outcome.exitCode === 0) {
      const [parcel] = unpacked(made.wire)
      if (parcel) return { fault: null, image: parcel.body.slice() }
    }
    // The image is no promise of Pyodide's: without it everything is the same, and slower.
    const file = packed({ path: 'probe.py', kind: 'file' })
    const plain = await start({ pyodide, file: 'probe.py', env: {}, image: false }, file, PROBE, {})
    const fault = plain.outcome.exitCode === 0 ? null : `Pyodide does not start: ${lastLine(plain.outcome.stderr)}`
    return { fault, image: null }
  }
  const open = async (): Promise<{ fault: string | null; image: Uint8Array | null }> => {
    const found = await (ready ??= probe())
    // It may be installed the next time.
    if (found.fault !== null) ready = undefined
    return found
  }

  const run = async (job: Job, watch: Watch): Promise<Outcome> => {
    const { file, limits } = job
    if (watch.signal?.aborted) return failed('exit', '', 137)
    const { image } = await open()
    const files = filesOf(workDir, limits)
    if (files === null) return failed('disk', 'the work directory holds more than its limits allow')
    const task = { pyodide: locate()!, file, env, image: image !== null }
    const input = [...(image ? packed({}, image) : []), ...files.pieces]
    const { outcome, wire } = await start(task, input, limits, watch)
    // A process that was ended has not said what became of its files.
    if (outcome.reason === 'exit' && !watch.signal?.aborted) keepFiles(workDir, wire, files.names, limits)
    return outcome
  }

  return {
    isolation: 'wasm',
    async fault(runtime) {
      return runtime === 'python' ? (await open()).fault : 'only Python runs by Pyodide'
    },
    async run(job, watch) {
      if (job.runtime !== 'python' && !job.saveOnly) {
        return failed('unsupported-language', `\nunknown language ${job.runtime}: only Python runs by Pyodide`)
      }
      const { fault } = await open()
      if (fault !== null) throw new XError('no-sandbox', `cannot run Python: ${fault}`)
      try {
        writeConfined(workDir, job.file, job.code)
      } catch (error) {
        return failed('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, job.file)
      if (job.saveOnly) return { ...failed('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
      return { ...(await gate.pass(() => run(job, watch))), isolation: 'wasm', savedAs }
    },
    artifacts: async () => listArtifacts(workDir),
    close: async () => {},
  }
}

/** Directory of Pyodide's package as this package finds it; null where it is not installed. */
function locate(): string | null {
  try {
    return realpathSync(dirname(createRequire(import.meta.url).resolve('pyodide/package.json')))
  } catch {
    return null
  }
}

/** Runs the process to its end: what it printed, and what else it said. */
async function start(
  task: Pick<PythonTask, 'pyodide' | 'file' | 'env' | 'image'>,
  input: readonly Uint8Array[],
  limits: Limits,
  watch: Watch,
): Promise<{ outcome: Outcome; wire: Uint8Array }> {
  const { memoryBytes, fileBytes, workspaceBytes, workspaceEntries } = limits
  const whole: PythonTask = { ...task, memoryBytes, fileBytes, workspaceBytes, workspaceEntries }
  const script = fileURLToPath(threadFile('python-child', import.meta.url))
  const said: Uint8Array[] = []
  let bytes = 0
  const begins = Promise.withResolvers<void>()
  // What it says is believed no more than what it prints: it is kept up to what the work directory may hold.
  const most = workspaceBytes + workspaceEntries * 2_048 + 64 * MIB
  const outcome = await spawned(
    {
      argv: [
        process.execPath,
        '--permission',
        `--allow-fs-read=${task.pyodide}`,
        `--allow-fs-read=${dirname(script)}`,
        '--disallow-code-generation-from-strings',
        '--no-experimental-sqlite',
        '--no-warnings',
        `--max-old-space-size=256`,
        script,
      ],
      env: {},
      cwd: task.pyodide,
      limits: { ...limits, memoryBytes: memoryBytes + OWN_MEMORY },
      begins: begins.promise,
      wire: {
        input: [...packed(whole), ...input],
        onData(data) {
          begins.resolve()
          bytes += data.length
          if (bytes <= most) said.push(data)
        },
      },
    },
    watch,
  )
  return { outcome, wire: Buffer.concat(said) }
}

const lastLine = (text: string): string => text.trim().split('\n').at(-1) ?? ''
