import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { spawned } from '../backend/spawned.ts'
import { threadFile } from '../backend/thread.ts'
import { failed, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { bounded, confinedNode } from './confined-node.ts'
import { packed, untilReady } from './parcels.ts'
import type { ScriptTask } from './quickjs-child.ts'

/** JavaScript and TypeScript in WebAssembly. */
export interface QuickjsSpec {
  readonly kind: 'quickjs'
}

/** Bytes of memory that the process takes beside the engine's. */
const OWN_MEMORY = 256 * 2 ** 20

const RUNTIMES: ReadonlySet<Runtime> = new Set(['javascript', 'typescript'])

/**
 * Runs JavaScript and TypeScript by QuickJS, each block in an engine and a process of its own: it has a console, timers
 * and nothing of the machine, no files and no network.
 */
export function quickjsBackend(): LimitedBackend {
  const fault = async (runtime: Runtime): Promise<string | null> =>
    RUNTIMES.has(runtime) ? null : 'only JavaScript and TypeScript run in WebAssembly here'
  return {
    isolation: 'wasm',
    fault,
    async run(job, watch) {
      const why = await fault(job.runtime)
      if (why !== null) return failed('unsupported-language', `\nunknown language ${job.runtime}: ${why}`)
      return { ...(await start(job, watch)), isolation: 'wasm', savedAs: null }
    },
    artifacts: async () => [],
    close: async () => {},
  }
}

async function start({ runtime, code, limits }: Job, watch: Watch): Promise<Outcome> {
  const script = fileURLToPath(threadFile('quickjs-child', import.meta.url))
  const task: ScriptTask = { typed: runtime === 'typescript', code, memoryBytes: limits.memoryBytes }
  const { begins, hear } = untilReady()
  return await spawned(
    {
      argv: bounded(limits, confinedNode(script, engineFolders())),
      env: {},
      cwd: dirname(script),
      limits: { ...limits, memoryBytes: limits.memoryBytes + OWN_MEMORY },
      begins,
      input: packed(task),
      third: hear,
    },
    watch,
  )
}

/** Gives the directories in which Node looks for the engine's packages, from here and from their real places. */
function engineFolders(): string[] {
  const here = createRequire(import.meta.url)
  const parts = ['quickjs-emscripten-core', '@jitl/quickjs-wasmfile-release-sync'].map((name) => here.resolve(name))
  const folders = [import.meta.url, ...parts].flatMap((from) => createRequire(from).resolve.paths('x') ?? [])
  return [...new Set([...folders, ...parts.map((file) => dirname(file))])]
}
