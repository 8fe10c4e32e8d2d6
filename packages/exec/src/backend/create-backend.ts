import { containerBackend, type ContainerSpec } from '../container/container-backend.ts'
import { customBackend, type CustomSpec, type ImportedSpec } from '../custom/custom-backend.ts'
import { pyodideBackend, type PyodideSpec } from '../wasm/pyodide-backend.ts'
import { quickjsBackend, type QuickjsSpec } from '../wasm/quickjs-backend.ts'
import { autoBackend } from './auto.ts'
import { localBackend, type LocalSpec } from './local.ts'
import { sandboxBackend } from './sandbox.ts'
import type { SandboxSpec } from './sandbox-spec.ts'
import type { LimitedBackend } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'

/** Description of a built-in backend: plain data, from which another thread can create the same backend. */
type BuiltInSpec = LocalSpec | SandboxSpec | WasmSpec | QuickjsSpec | PyodideSpec | ContainerSpec | AutoSpec

/** Description of any backend in the thread of its executor. */
export type BackendSpec = BuiltInSpec | CustomSpec

/** Description of any backend for another thread: plain data. */
export type ThreadSpec = BuiltInSpec | ImportedSpec

/** Description of several backends, best first; none of them is the host. */
interface AutoSpec {
  readonly kind: 'auto'
  readonly candidates: readonly Exclude<BuiltInSpec, { kind: 'auto' | 'host' }>[]
}

/** Description of both engines in WebAssembly: QuickJS for JavaScript and TypeScript, Pyodide for Python. */
interface WasmSpec {
  readonly kind: 'wasm'
  readonly workDir: string
  /** Guarded names that code may change; absent if nothing is guarded. */
  readonly writable?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string>>
}

/** Creates the backend of a description. */
export function createBackend(spec: BackendSpec): LimitedBackend {
  switch (spec.kind) {
    case 'host':
      return localBackend(spec)
    case 'wasm':
      return wasmBackend(spec)
    case 'quickjs':
      return quickjsBackend()
    case 'pyodide':
      return pyodideBackend(spec)
    case 'container':
      return containerBackend(spec)
    case 'auto':
      return autoBackend(spec.candidates.map(createBackend))
    case 'custom':
      return customBackend(spec.factory, spec.context)
    default:
      return sandboxBackend(spec)
  }
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
    artifacts: async () => await python.artifacts(),
    async close() {
      await python.close()
      await script.close()
    },
  }
}
