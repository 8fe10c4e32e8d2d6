import { createRequire } from 'node:module'
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Artifact } from '@x/interfaces'
import { XError } from '@x/kernel'
import { packageFile } from '../backend/thread.ts'
import { writeConfined } from '../run/confined-file.ts'
import { Semaphore } from '../run/semaphore.ts'
import { guardedText, type ChangeRules } from '../changes/changeset.ts'
import { failedOutcome, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { confinedNode } from './confined-node.ts'
import { EnginePool } from './engine-pool.ts'
import { EngineProcess } from './engine-process.ts'
import { encodeFrame } from './transfer-frames.ts'
import type { PythonGreeting, PythonTask } from './python-child.ts'
import { findImage, keepImage, imageOf, type PythonImage } from './python-images.ts'
import { readFiles, writeFiles, type HeldFiles } from './python-workspace.ts'

/** Description of Python in WebAssembly. */
export interface PyodideSpec {
  readonly kind: 'pyodide'
  readonly workDir: string
  /** Rules for the changes that come back to the directory of the user; absent in a directory that the executor made. */
  readonly rules?: ChangeRules | undefined
  readonly env: Readonly<Record<string, string>>
  /** URL of the module from which Pyodide is resolved; default: this module. */
  readonly from?: string | undefined
}

/** Blocks that run at once; each process takes some 300 MB. */
const MAX_CONCURRENT_BLOCKS = 2

/** Bytes of the longest frame of a process: an image of its memory, or a file. */
const MAX_FRAME_BYTES = 2 ** 28

/** Longest time limit of a block, in seconds, that the process of a probe can run. */
const PROBE_TIMEOUT_S = 60

/** Flags that let a process give each Python globals of its own, and freeze those of the process. */
const REALM_FLAGS = ['--experimental-vm-modules', '--frozen-intrinsics']

/**
 * Flags that get the next Python ready in less time. Its JavaScript runs once, so optimizing it in other threads and
 * incremental garbage collection cost more than they save.
 */
const SHORT_LIVED_FLAGS = ['--sparkplug', '--no-concurrent-recompilation', '--no-incremental-marking']

const OUTER_PYTHON_FRAME = / {2}File "<exec>", line \d+ in __x_run\n/gu

const PYODIDE_MISSING = 'Python in WebAssembly needs `pyodide`, which is not installed: run `npm i pyodide`'

/**
 * Runs Python in Pyodide, each block in a Python of its own, in processes of this executor without access to the machine. The
 * work directory is copied into the memory of the process and changes are copied back; a block that is ended early leaves its
 * output and no files. Without the optional peer `pyodide`, each run fails and names the package to install.
 */
export function pyodideBackend(spec: PyodideSpec): LimitedBackend {
  return new PyodideBackend(spec)
}

class PyodideBackend implements LimitedBackend {
  readonly isolation = 'wasm' as const
  readonly #spec: PyodideSpec
  /** URL of the module from which Pyodide is resolved. */
  readonly #from: string
  readonly #semaphore: Semaphore = new Semaphore(MAX_CONCURRENT_BLOCKS)
  readonly #pool: EnginePool = new EnginePool((timeout) => this.#start(timeout), { second: true })
  /** Memory of a freshly loaded Python, which makes the next start several times as fast; null if Pyodide makes none. */
  #image: PythonImage | null | undefined
  #probed: Promise<string | null> | undefined
  /** Changes that were held back, for later blocks. */
  readonly #held: HeldFiles = new Map()

  constructor(spec: PyodideSpec) {
    this.#spec = spec
    this.#from = spec.from ?? import.meta.url
  }

  async fault(runtime: Runtime): Promise<string | null> {
    if (runtime !== 'python') return 'only Python runs by Pyodide'
    const why = await (this.#probed ??= this.#probe())
    // It may be installed the next time.
    if (why !== null) this.#probed = undefined
    return why
  }

  async run(job: Job, watch: Watch): Promise<Outcome> {
    const { workDir, rules } = this.#spec
    if (job.runtime !== 'python' && !job.saveOnly) {
      return failedOutcome('unsupported-language', `\nunknown language ${job.runtime}: only Python runs by Pyodide`)
    }
    const missing = this.#missing()
    if (missing !== null) throw new XError('no-sandbox', `cannot run Python: ${missing}`)
    const guarded = rules ? guardedText(workDir, job.file, rules) : null
    if (guarded !== null) return failedOutcome('bad-filename', guarded)
    try {
      writeConfined(workDir, job.file, job.code)
    } catch (error) {
      return failedOutcome('bad-filename', (error as Error).message)
    }
    const savedAs = resolve(workDir, job.file)
    if (job.saveOnly) return { ...failedOutcome('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
    const outcome = await this.#semaphore.run(() => this.#runSaved(job, watch), watch.signal)
    return { ...outcome, isolation: 'wasm', savedAs }
  }

  async artifacts(): Promise<Artifact[]> {
    return await this.#pool.list(this.#spec.workDir)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  async #runSaved({ file, limits }: Job, watch: Watch): Promise<Outcome> {
    const { workDir, rules } = this.#spec
    const files = await readFiles(workDir, limits, this.#held)
    if (files === null) return failedOutcome('disk', 'the work directory is over its limits')
    const { memoryBytes, fileBytes, workspaceBytes, workspaceEntries } = limits
    const quota = { memoryBytes, fileBytes, workspaceBytes, workspaceEntries }
    const task: PythonTask = { file, files: files.sent.size, ...quota }
    const input = [...encodeFrame(task), ...files.pieces]
    const { frames, hasBegun: _, isReusable, ...result } = await this.#pool.run(input, limits, watch)
    // After a fault of the interpreter, Python prints its frames itself, and the outermost is not of the code.
    const outcome = isReusable ? result : { ...result, stdout: result.stdout.replaceAll(OUTER_PYTHON_FRAME, '') }
    // A process that was killed has not sent its files.
    if (frames === null) return outcome
    const changes = await writeFiles(workDir, frames, files.sent, { limits, rules, held: this.#held })
    if (changes === null) return { ...outcome, reason: 'disk', exitCode: outcome.exitCode || 137 }
    return rules ? { ...outcome, changes } : outcome
  }

  /** Returns why there is no Python, without starting one; null if nothing is missing. */
  #missing(): string | null {
    if (process.versions['bun'] || process.versions['deno']) {
      return 'Python in WebAssembly needs Node, which confines its process'
    }
    return locatePyodide(this.#from) === null ? PYODIDE_MISSING : null
  }

  /** Really loads Python, once. */
  async #probe(): Promise<string | null> {
    const missing = this.#missing()
    if (missing !== null) return missing
    const why = await this.#pool.fault(PROBE_TIMEOUT_S)
    return why === null ? null : `Pyodide does not start: ${why}`
  }

  #start(timeout: number): EngineProcess {
    const { env } = this.#spec
    const pyodide = locatePyodide(this.#from)!
    const key = JSON.stringify([pyodide, env])
    this.#image ??= findImage(key) ?? this.#image
    const image = this.#image
    const greeting: PythonGreeting = {
      pyodide,
      env,
      image: image ? 'given' : image === undefined ? 'wanted' : 'none',
    }
    const script = fileURLToPath(packageFile('../wasm/python-child', import.meta.url))
    return new EngineProcess({
      argv: confinedNode(script, [pyodide], [...REALM_FLAGS, ...SHORT_LIVED_FLAGS]),
      cwd: pyodide,
      timeout,
      greeting: encodeFrame(greeting, image ? new Uint8Array(image.memory) : undefined),
      maxFrameBytes: MAX_FRAME_BYTES,
      // The process makes the image before any code runs. Pyodide does not promise one.
      onStartFrame: ({ header, body }) => {
        if (this.#image || header['image'] === undefined) return
        this.#image = header['image'] === true ? imageOf(key, body) : null
        if (this.#image) keepImage(this.#image)
      },
    })
  }
}

/** Returns the directory of the package of Pyodide, resolved from a module; null if it is not installed. */
function locatePyodide(from: string): string | null {
  try {
    return realpathSync(dirname(createRequire(from).resolve('pyodide/package.json')))
  } catch {
    return null
  }
}
