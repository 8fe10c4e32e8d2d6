import { createRequire } from 'node:module'
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Artifact } from '@x/interfaces'
import { XError } from '@x/kernel'
import { packageFile } from '../backend/thread.ts'
import { writeConfined } from '../run/confined-file.ts'
import { Semaphore } from '../run/semaphore.ts'
import type { Change, ChangeRules, Choice } from '../changes/changeset.ts'
import { failedOutcome, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { DIRECTORY_TOO_FULL } from '../run/list-artifacts.ts'
import { confinedNode } from './confined-node.ts'
import { EnginePool } from './engine-pool.ts'
import { EngineProcess } from './engine-process.ts'
import { encodeFrame, type TransferFrame } from './transfer-frames.ts'
import type { PythonGreeting, PythonTask } from './python-child.ts'
import { findImage, keepImage, imageOf, type PythonImage } from './python-images.ts'
import { GivenDirectory, givenIn, readFiles, writeFiles, type SentEntry } from './python-workspace.ts'

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
  /** The directory of the user; null if the executor made one. */
  readonly #given: GivenDirectory | null

  constructor(spec: PyodideSpec) {
    this.#spec = spec
    this.#from = spec.from ?? import.meta.url
    this.#given = spec.rules ? new GivenDirectory(spec.workDir, spec.rules) : null
  }

  async fault(runtime: Runtime): Promise<string | null> {
    if (runtime !== 'python') return 'only Python runs by Pyodide'
    const why = await (this.#probed ??= this.#probe())
    // It may be installed the next time.
    if (why !== null) this.#probed = undefined
    return why
  }

  async run(job: Job, watch: Watch): Promise<Outcome> {
    const { workDir } = this.#spec
    if (job.runtime !== 'python' && !job.saveOnly) {
      return failedOutcome('unsupported-language', `\nunknown language ${job.runtime}: only Python runs by Pyodide`)
    }
    const missing = this.#missing()
    if (missing !== null) throw new XError('no-sandbox', `cannot run Python: ${missing}`)
    const savedAs = resolve(workDir, job.file)
    const saved = { ...failedOutcome('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
    if (this.#given && job.saveOnly) return { ...(await this.#runGiven(this.#given, job, watch, saved)), savedAs }
    if (!this.#given) {
      try {
        writeConfined(workDir, job.file, job.code)
      } catch (error) {
        return failedOutcome('bad-filename', (error as Error).message)
      }
      if (job.saveOnly) return saved
    }
    const outcome = await this.#semaphore.run(
      () => (this.#given ? this.#runGiven(this.#given, job, watch) : this.#runSaved(job, watch)),
      watch.signal,
    )
    return { ...outcome, isolation: 'wasm', savedAs }
  }

  async settle(_: Job, id: number, choice: Choice): Promise<readonly Change[]> {
    return (await this.#given?.settle(id, choice)) ?? []
  }

  async artifacts(): Promise<Artifact[]> {
    return await this.#pool.list(this.#spec.workDir)
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }

  /** Runs a job in the directory of the executor. */
  async #runSaved(job: Job, watch: Watch): Promise<Outcome> {
    const { workDir } = this.#spec
    const sent = await readFiles(workDir, job.limits)
    if (sent === null) return failedOutcome('disk', DIRECTORY_TOO_FULL)
    const { frames, ...outcome } = await this.#runFiles(job, watch, sent)
    // A process that was killed has not sent its files.
    if (frames === null || (await writeFiles(workDir, frames, sent, job.limits))) return outcome
    return { ...outcome, reason: 'disk', exitCode: outcome.exitCode || 137 }
  }

  /** Runs a job in a copy of the user's directory; `saved` is the outcome of a job that is only saved. */
  async #runGiven(given: GivenDirectory, job: Job, watch: Watch, saved?: Outcome): Promise<Outcome> {
    const { limits, file, code, asks, isNamed = false } = job
    let sent: Awaited<ReturnType<typeof given.read>>
    try {
      sent = await given.read(limits, file, code)
    } catch (error) {
      return failedOutcome('bad-filename', (error as Error).message)
    }
    if (sent === null) return failedOutcome('disk', DIRECTORY_TOO_FULL)
    const { frames, ...outcome } = saved ? { ...saved, frames: null } : await this.#runFiles(job, watch, sent)
    const tellsOwn = isNamed || saved !== undefined
    const { fits, changes, proposal } = await given.write(frames, sent, { limits, asks, tellsOwn })
    if (!fits) return { ...outcome, reason: 'disk', exitCode: outcome.exitCode || 137 }
    return { ...outcome, changes, ...(proposal && { proposal }) }
  }

  async #runFiles(
    { file, limits }: Job,
    watch: Watch,
    sent: ReadonlyMap<string, SentEntry>,
  ): Promise<Outcome & { readonly frames: readonly TransferFrame[] | null }> {
    const { memoryBytes, fileBytes, workspaceBytes, workspaceEntries } = limits
    const quota = { memoryBytes, fileBytes, workspaceBytes, workspaceEntries }
    const frames = [...givenIn(sent)].map(([path, content]) =>
      encodeFrame({ path, kind: content ? 'file' : 'directory' }, content ?? undefined),
    )
    const task: PythonTask = { file, files: frames.length, ...quota }
    const input = [...encodeFrame(task), ...frames.flat()]
    const { hasBegun: _, isReusable, ...result } = await this.#pool.run(input, limits, watch)
    // After a fault of the interpreter, Python prints its frames itself, and the outermost is not of the code.
    return isReusable ? result : { ...result, stdout: result.stdout.replaceAll(OUTER_PYTHON_FRAME, '') }
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
