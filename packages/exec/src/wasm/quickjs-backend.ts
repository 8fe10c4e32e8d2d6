import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../backend/thread.ts'
import { failedOutcome, type LimitedBackend } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { confinedNode } from './confined-node.ts'
import { EnginePool } from './engine-pool.ts'
import { EngineProcess } from './engine-process.ts'
import { encodeFrame } from './transfer-frames.ts'
import type { ScriptTask } from './quickjs-child.ts'

/** Description of JavaScript and TypeScript in WebAssembly. */
export interface QuickjsSpec {
  readonly kind: 'quickjs'
}

/** Bytes of the longest frame of a process. */
const MAX_FRAME_BYTES = 64 * 2 ** 20

const QUICKJS_RUNTIMES: ReadonlySet<Runtime> = new Set(['javascript', 'typescript'])

/**
 * Runs JavaScript and TypeScript in QuickJS, each block in an engine of its own, in processes of this executor. Code has a
 * console and timers, but no files, no network and nothing else of the machine.
 */
export function quickjsBackend(): LimitedBackend {
  const pool = new EnginePool(startEngine)
  const fault = async (runtime: Runtime): Promise<string | null> =>
    QUICKJS_RUNTIMES.has(runtime) ? null : 'only JavaScript and TypeScript run in WebAssembly here'
  return {
    isolation: 'wasm',
    fault,
    async run({ runtime, code, limits }, watch) {
      const why = await fault(runtime)
      if (why !== null) return failedOutcome('unsupported-language', `\nunknown language ${runtime}: ${why}`)
      const task: ScriptTask = { typed: runtime === 'typescript', memoryBytes: limits.memoryBytes }
      const {
        frames: _,
        hasBegun: __,
        isReusable: ___,
        ...outcome
      } = await pool.run(encodeFrame(task, Buffer.from(code)), limits, watch)
      return { ...outcome, isolation: 'wasm', savedAs: null }
    },
    artifacts: async () => [],
    close: async () => await pool.close(),
  }
}

function startEngine(timeout: number): EngineProcess {
  const script = fileURLToPath(packageFile('../wasm/quickjs-child', import.meta.url))
  return new EngineProcess({
    argv: confinedNode(script, engineFolders(script)),
    timeout,
    cwd: dirname(script),
    maxFrameBytes: MAX_FRAME_BYTES,
  })
}

/** Returns the directories in which Node looks for the packages of the engine, from the script and from their real paths. */
function engineFolders(script: string): string[] {
  const here = createRequire(script)
  const parts = ['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'].map((name) => here.resolve(name))
  const folders = [script, ...parts].flatMap((from) => createRequire(from).resolve.paths('x') ?? [])
  return [...new Set([...folders, ...parts.map((file) => dirname(file))])]
}
