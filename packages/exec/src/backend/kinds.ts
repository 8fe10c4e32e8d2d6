import { randomUUID } from 'node:crypto'
import type { Isolation } from '@x/interfaces'
import { XError } from '@x/kernel'
import { containerBackend, type ContainerSpec } from '../container/container-backend.ts'
import { engineSockets } from '../container/engine.ts'
import { customBackend, type CustomSpec, type ImportedSpec } from '../custom/custom-backend.ts'
import type { LimitedBackend } from '../run/job.ts'
import { COMMAND_LINE_POLICY, type ExecutePolicy, type Runtime } from '../run/languages.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { pyodideBackend, type PyodideSpec } from '../wasm/pyodide-backend.ts'
import { quickjsBackend, type QuickjsSpec } from '../wasm/quickjs-backend.ts'
import type { ChangeRules } from '../changes/changeset.ts'
import { autoBackend } from './auto.ts'
import { localBackend, type LocalSpec } from './local.ts'
import { sandboxBackend } from './sandbox.ts'
import type { SandboxSpec } from './sandbox-spec.ts'
import {
  containerWalls,
  NO_WALLS,
  sandboxWalls,
  unmetRequirements,
  WASM_WALLS,
  weakestWalls,
  type MachineFacts,
  type WallRequirement,
  type Walls,
} from './walls.ts'
import type { Workspace } from './workspace.ts'

/** Where code runs. `auto` takes the first kind that really works for a language, and never takes `local`. */
export type ExecutorKind = 'auto' | 'local' | 'sandbox' | 'bubblewrap' | 'unshare' | 'wasm' | 'container'

/** An executor kind. */
interface ExecutorRow {
  /** Isolation to report before the first block. */
  readonly isolation: Isolation
  /**
   * The backend for all code, or a list of backends: the first that works for a language runs it. The run fails with
   * `no-sandbox` if none works.
   */
  readonly runsOn: BackendKind | readonly Exclude<BackendKind, 'local'>[]
  /** True if code works in a file system of fixed size, or in a copy of the user's directory. */
  readonly confined?: true
  /** Languages that run by default; default: those of command lines. */
  readonly execute?: ExecutePolicy
}

const WASM_POLICY: ExecutePolicy = { javascript: true, typescript: true, python: true }

/** Every executor kind. `auto` tries backends in the order of its list, which never has the host. */
export const EXECUTORS: Readonly<Record<ExecutorKind, ExecutorRow>> = {
  auto: {
    isolation: 'sandbox',
    runsOn: ['quickjs', 'bubblewrap', 'unshare', 'pyodide', 'container'],
    confined: true,
    execute: { ...COMMAND_LINE_POLICY, ...WASM_POLICY },
  },
  local: { isolation: 'host', runsOn: 'local' },
  sandbox: { isolation: 'sandbox', runsOn: ['bubblewrap', 'unshare'], confined: true },
  bubblewrap: { isolation: 'sandbox', runsOn: ['bubblewrap'], confined: true },
  unshare: { isolation: 'sandbox', runsOn: ['unshare'], confined: true },
  // Any other language is refused.
  wasm: { isolation: 'wasm', runsOn: 'wasm', execute: WASM_POLICY },
  container: { isolation: 'container', runsOn: ['container'] },
}

/** The description of each backend: plain data, from which another thread can create the same backend. */
interface BackendSpecs {
  local: LocalSpec
  bubblewrap: SandboxSpec
  unshare: SandboxSpec
  wasm: WasmSpec
  quickjs: QuickjsSpec
  pyodide: PyodideSpec
  container: ContainerSpec
}

/** Name of a backend, and the `kind` of its description. */
export type BackendKind = keyof BackendSpecs

/** The facts of an executor that descriptions are made of. */
export interface ExecutorFacts {
  readonly limits: ExecutionLimits
  /** Directory that the user sees: given, or made for the executor. */
  readonly workDir: string
  /** The directory that the user gave; null if the executor made one. */
  readonly given: string | null
  /** Directory in which confined code works. */
  readonly workspace: Workspace
  readonly env: Readonly<Record<string, string>>
  readonly network: 'none' | 'host'
  readonly readOnly: readonly string[]
  readonly rules: ChangeRules
  readonly image: string
  readonly runtime: string | undefined
  readonly socket: string | undefined
  readonly hostEnv: Readonly<Record<string, string | undefined>>
}

interface BackendRow<K extends BackendKind> {
  readonly describe: (facts: ExecutorFacts, kind: K) => BackendSpecs[K]
  readonly create: (spec: BackendSpecs[K]) => LimitedBackend
  readonly walls: (spec: BackendSpecs[K], machine: MachineFacts) => Omit<Walls, 'program'>
}

/** How each backend is described by the thread of its executor, and created there or in another thread. */
const BACKENDS: { readonly [K in BackendKind]: BackendRow<K> } = {
  local: {
    describe: ({ workDir, hostEnv, env }) => ({
      kind: 'local',
      workDir,
      env: { PATH: hostEnv['PATH'] ?? '', HOME: workDir, LANG: 'C.UTF-8', ...env },
    }),
    create: localBackend,
    walls: () => NO_WALLS,
  },
  bubblewrap: { describe: describeSandbox, create: sandboxBackend, walls: sandboxWalls },
  unshare: { describe: describeSandbox, create: sandboxBackend, walls: sandboxWalls },
  wasm: {
    describe: (facts) => ({ ...describePython(facts), kind: 'wasm' }),
    create: wasmBackend,
    walls: () => WASM_WALLS,
  },
  quickjs: { describe: () => ({ kind: 'quickjs' }), create: quickjsBackend, walls: () => WASM_WALLS },
  pyodide: { describe: describePython, create: pyodideBackend, walls: () => WASM_WALLS },
  container: {
    describe: ({ socket, hostEnv, image, runtime, network, env, limits }) => ({
      kind: 'container',
      sockets: socket === undefined ? engineSockets(hostEnv) : [socket],
      image,
      runtime,
      name: `x-exec-${randomUUID()}`,
      network,
      env,
      limits,
    }),
    create: containerBackend,
    walls: ({ runtime, network }) => containerWalls(runtime, network),
  },
}

/** Names of all backends. */
export const BACKEND_KINDS: readonly BackendKind[] = Object.keys(BACKENDS) as BackendKind[]

function describeSandbox(
  { workspace, given, rules, network, readOnly, env, hostEnv }: ExecutorFacts,
  kind: SandboxSpec['kind'],
): SandboxSpec {
  return { kind, workspace, given, rules, network, readOnly, env, hostPath: hostEnv['PATH'] ?? '' }
}

function describePython({ workDir, given, rules, env }: ExecutorFacts): PyodideSpec {
  return { kind: 'pyodide', workDir, rules: given === null ? undefined : rules, env }
}

/** Description of a built-in backend. */
type BuiltInSpec = BackendSpecs[BackendKind] | AutoSpec

/** Description of any backend in the thread of its executor. */
export type BackendSpec = BuiltInSpec | CustomSpec

/** Description of any backend for another thread: plain data. */
export type ThreadSpec = BuiltInSpec | ImportedSpec

/** Description of several backends, best first; none of them is the host. */
interface AutoSpec {
  readonly kind: 'auto'
  readonly candidates: readonly BackendSpecs[Exclude<BackendKind, 'local'>][]
}

/** Description of both engines in WebAssembly: QuickJS for JavaScript and TypeScript, Pyodide for Python. */
type WasmSpec = Omit<PyodideSpec, 'kind'> & { readonly kind: 'wasm' }

/** Describes the backends of an executor kind. */
export function describeBackend(kind: ExecutorKind, facts: ExecutorFacts): BackendSpec {
  const { runsOn } = EXECUTORS[kind]
  const describe = <K extends BackendKind>(backend: K): BackendSpecs[K] => BACKENDS[backend].describe(facts, backend)
  return typeof runsOn === 'string' ? describe(runsOn) : { kind: 'auto', candidates: runsOn.map(describe) }
}

/** Creates the backend of a description. */
export function createBackend(spec: BackendSpec): LimitedBackend {
  if (spec.kind === 'auto') return autoBackend(spec.candidates.map(createBackend))
  if (spec.kind === 'custom') return customBackend(spec.factory, spec.context)
  return (BACKENDS[spec.kind].create as (spec: BackendSpec) => LimitedBackend)(spec)
}

/** Returns the walls of a backend on a machine; of several backends, the weakest of each. */
export function wallsOf(spec: BackendSpec, machine: MachineFacts): Walls {
  if (spec.kind === 'auto') return weakestWalls(spec.candidates.map((candidate) => wallsOf(candidate, machine)))
  const program = machine.isRoot ? 'root' : 'user'
  if (spec.kind === 'custom') return { ...NO_WALLS, ...spec.factory.walls, program }
  const { walls } = BACKENDS[spec.kind] as BackendRow<BackendKind>
  return { ...walls(spec, machine), program }
}

/**
 * Returns a description without the backends that do not meet the requirements; fails with `no-sandbox` if none is left, and
 * says which walls are missing.
 */
export function withWalls(spec: BackendSpec, required: readonly WallRequirement[], machine: MachineFacts): BackendSpec {
  const faults: string[] = []
  const meets = (candidate: BackendSpec): boolean => {
    const unmet = unmetRequirements(wallsOf(candidate, machine), required)
    if (unmet.length > 0) faults.push(`${candidate.kind} has ${unmet.join(', ')}`)
    return unmet.length === 0
  }
  if (spec.kind === 'auto') {
    const candidates = spec.candidates.filter(meets)
    if (candidates.length > 0) return { ...spec, candidates }
  } else if (meets(spec)) return spec
  throw new XError(
    'no-sandbox',
    `cannot create a code executor that meets \`require\`: ${faults.join('; ')}. See docs/walls.md for what gives each wall, or require less`,
    { details: { required, faults } },
  )
}

/** Runs each language in the engine that has it; QuickJS refuses languages of neither engine. */
function wasmBackend(spec: WasmSpec): LimitedBackend {
  const python = pyodideBackend({ ...spec, kind: 'pyodide' })
  const script = quickjsBackend()
  const engineOf = (runtime: Runtime): LimitedBackend => (runtime === 'python' ? python : script)
  return {
    isolation: 'wasm',
    fault: async (runtime) => await engineOf(runtime).fault(runtime),
    run: async (job, watch) => await engineOf(job.runtime).run(job, watch),
    settle: async (job, id, choice) => (await engineOf(job.runtime).settle?.(job, id, choice)) ?? [],
    artifacts: async () => await python.artifacts(),
    async close() {
      await python.close()
      await script.close()
    },
  }
}
