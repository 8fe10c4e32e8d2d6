import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { packageFile } from '../backend/thread.ts'
import { failed, type LimitedBackend } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { confinedNode } from './confined-node.ts'
import { EnginePool } from './engine-pool.ts'
import { EngineProcess } from './engine-process.ts'
import { encodeFrame } from './transfer-frames.ts'
import type { ScriptTask } from './quickjs-child.ts'

/** JavaScript and TypeScript in WebAssembly. */
export interface QuickjsSpec {
  readonly kind: 'quickjs'
}

/** Bytes of the longest piece that code prints at once. */
const MAX_FRAME_BYTES = 64 * 2 ** 20

const QUICKJS_RUNTIMES: ReadonlySet<Runtime> = new Set(['javascript', 'typescript'])

/**
 * Runs JavaScript and TypeScript by QuickJS, each block in an engine of its own, in processes of this executor's own: it
 * has a console, timers and nothing of the machine, no files and no network.
 */
export function quickjsBackend(): LimitedBackend {
  const pool = new EnginePool(start)
  const fault = async (runtime: Runtime): Promise<string | null> =>
    QUICKJS_RUNTIMES.has(runtime) ? null : 'only JavaScript and TypeScript run in WebAssembly here'
  return {
    isolation: 'wasm',
    fault,
    async run({ runtime, code, limits }, watch) {
      const why = await fault(runtime)
      if (why !== null) return failed('unsupported-language', `\nunknown language ${runtime}: ${why}`)
      const task: ScriptTask = { typed: runtime === 'typescript', memoryBytes: limits.memoryBytes }
      const {
        said: _,
        begun: __,
        sound: ___,
        ...outcome
      } = await pool.run(encodeFrame(task, Buffer.from(code)), limits, watch)
      return { ...outcome, isolation: 'wasm', savedAs: null }
    },
    artifacts: async () => [],
    close: async () => await pool.close(),
  }
}

function start(timeout: number): EngineProcess {
  const script = fileURLToPath(packageFile('../wasm/quickjs-child', import.meta.url))
  return new EngineProcess({
    argv: confinedNode(script, engineFolders(script)),
    timeout,
    cwd: dirname(script),
    most: MAX_FRAME_BYTES,
  })
}

/** Returns the directories in which Node looks for the engine's packages, from the script and from their real places. */
function engineFolders(script: string): string[] {
  const here = createRequire(script)
  const parts = ['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'].map((name) => here.resolve(name))
  const folders = [script, ...parts].flatMap((from) => createRequire(from).resolve.paths('x') ?? [])
  return [...new Set([...folders, ...parts.map((file) => dirname(file))])]
}
