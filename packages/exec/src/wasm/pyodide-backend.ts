import { createRequire } from 'node:module'
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { XError } from '@x/kernel'
import { packageFile } from '../backend/thread.ts'
import { writeConfined } from '../run/confined-file.ts'
import { Semaphore } from '../run/semaphore.ts'
import { guardOf } from '../run/guarded.ts'
import { failed, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import { confinedNode } from './confined-node.ts'
import { EnginePool } from './engine-pool.ts'
import { EngineProcess } from './engine-process.ts'
import { encodeFrame } from './transfer-frames.ts'
import type { PythonGreeting, PythonTask } from './python-child.ts'
import { findImage, holdImage, imageOf, type PythonImage } from './python-images.ts'
import { filesOf, keepFiles } from './python-workspace.ts'

/** Python in WebAssembly. */
export interface PyodideSpec {
  readonly kind: 'pyodide'
  readonly workDir: string
  /** Guarded names that code may change all the same; absent where nothing is guarded, as in a directory of its own. */
  readonly writable?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string>>
  /** Address of the module that Pyodide is looked for from; default: this one. */
  readonly from?: string | undefined
}

/** Blocks that run at once: each process takes some 300 MB. */
const MAX_CONCURRENT_BLOCKS = 2

/** Bytes of the longest thing that a process may say: an image of its memory, or a file. */
const MAX_FRAME_BYTES = 2 ** 28

/** Longest time limit that the process which shows that Pyodide works can run blocks with. */
const PROBE_TIMEOUT_S = 60

/** What a process needs to give each Python globals of its own, and to keep its own as they are. */
const REALM_FLAGS = ['--experimental-vm-modules', '--frozen-intrinsics']

/**
 * What gets the next Python ready in less time: its JavaScript runs once, so that optimizing it in other threads and
 * marking garbage little by little cost more than they save.
 */
const SHORT_LIVED_FLAGS = ['--sparkplug', '--no-concurrent-recompilation', '--no-incremental-marking']

const OUTER_PYTHON_FRAME = / {2}File "<exec>", line \d+ in __x_run\n/gu

const PYODIDE_MISSING = 'Python in WebAssembly needs `pyodide`, which is not installed: run `npm i pyodide`'

/** Returns why this runtime cannot confine Python's process; null where it can. */
const unfit = (): string | null =>
  process.versions['bun'] || process.versions['deno']
    ? 'Python in WebAssembly needs Node, which confines its process'
    : null

/**
 * Runs Python by Pyodide, each block in a Python of its own, in processes of this executor's own from which everything
 * that reaches the machine was taken. The work directory is copied into the process's memory and what changed is copied
 * back; a block that is ended early leaves its output and no files. Without its package, which is an optional peer, it
 * says which to install.
 */
export function pyodideBackend({ workDir, writable, env, from = import.meta.url }: PyodideSpec): LimitedBackend {
  const semaphore = new Semaphore(MAX_CONCURRENT_BLOCKS)
  const guard = (): ((path: string) => boolean) | undefined => writable && guardOf(workDir, writable)
  /** Memory of a Python that was just loaded, from which the next start is several times as fast; null for none. */
  let image: PythonImage | null | undefined

  const start = (timeout: number): EngineProcess => {
    const pyodide = locatePyodide(from)!
    const key = JSON.stringify([pyodide, env])
    image ??= findImage(key) ?? image
    const greeting: PythonGreeting = {
      pyodide,
      env,
      image: image ? 'given' : image === undefined ? 'wanted' : 'none',
    }
    return new EngineProcess({
      argv: confinedNode(
        fileURLToPath(packageFile('../wasm/python-child', import.meta.url)),
        [pyodide],
        [...REALM_FLAGS, ...SHORT_LIVED_FLAGS],
      ),
      cwd: pyodide,
      timeout,
      greeting: encodeFrame(greeting, image ? new Uint8Array(image.memory) : undefined),
      most: MAX_FRAME_BYTES,
      // It is made before any code runs. Pyodide does not promise that there is one.
      onPrelude({ header, body }) {
        if (image || header['image'] === undefined) return
        image = header['image'] === true ? imageOf(key, body) : null
        if (image) holdImage(image)
      },
    })
  }
  const pool = new EnginePool(start, { second: true })

  /** Really loads Python, once. */
  const probe = async (): Promise<string | null> => {
    const missing = unfit() ?? (locatePyodide(from) === null ? PYODIDE_MISSING : null)
    if (missing !== null) return missing
    const why = await pool.fault(PROBE_TIMEOUT_S)
    return why === null ? null : `Pyodide does not start: ${why}`
  }
  let probed: Promise<string | null> | undefined
  const fault = async (): Promise<string | null> => {
    const missing = await (probed ??= probe())
    // It may be installed the next time.
    if (missing !== null) probed = undefined
    return missing
  }

  const run = async ({ file, limits }: Job, watch: Watch): Promise<Outcome> => {
    const files = await filesOf(workDir, limits)
    if (files === null) return failed('disk', 'the work directory holds more than its limits allow')
    const { memoryBytes, fileBytes, workspaceBytes, workspaceEntries } = limits
    const quota = { memoryBytes, fileBytes, workspaceBytes, workspaceEntries }
    const task: PythonTask = { file, files: files.names.size, ...quota }
    const { said, begun: _, sound, ...ended } = await pool.run([...encodeFrame(task), ...files.pieces], limits, watch)
    // After a fault inside, Python itself prints its frames, and the outermost is not the code's.
    const outcome = sound ? ended : { ...ended, stdout: ended.stdout.replaceAll(OUTER_PYTHON_FRAME, '') }
    // A process that was ended has not said what became of its files.
    if (said === null) return outcome
    const fits = await keepFiles(workDir, said, files.names, { ...limits, isGuarded: guard() })
    return fits ? outcome : { ...outcome, reason: 'disk', exitCode: outcome.exitCode || 137 }
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
      const missing = unfit() ?? (locatePyodide(from) === null ? PYODIDE_MISSING : null)
      if (missing !== null) throw new XError('no-sandbox', `cannot run Python: ${missing}`)
      if (guard()?.(job.file) === true) {
        return failed('bad-filename', `Filename is read-only: \`${job.file}\`. Name it in \`writable\` to change it`)
      }
      try {
        writeConfined(workDir, job.file, job.code)
      } catch (error) {
        return failed('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, job.file)
      if (job.saveOnly) return { ...failed('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
      return { ...(await semaphore.run(() => run(job, watch), watch.signal)), isolation: 'wasm', savedAs }
    },
    artifacts: async () => await pool.list(workDir),
    close: async () => await pool.close(),
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
