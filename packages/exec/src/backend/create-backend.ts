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

/** Makes the backend that a specification describes. */
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

/** Describes a backend of this package: plain data, so that another thread can make the same one. */
type BuiltInSpec = LocalSpec | SandboxSpec | WasmSpec | QuickjsSpec | PyodideSpec | ContainerSpec | AutoSpec

/** Describes any backend to the thread that the executor lives in. */
export type BackendSpec = BuiltInSpec | CustomSpec

/** Describes any backend to another thread: plain data. */
export type ThreadSpec = BuiltInSpec | ImportedSpec

/** Several ways to run code, best first; none of them is the host. */
export interface AutoSpec {
  readonly kind: 'auto'
  readonly candidates: readonly Exclude<BuiltInSpec, { kind: 'auto' | 'host' }>[]
}

/** Describes both engines of WebAssembly: QuickJS for JavaScript and TypeScript, Pyodide for Python. */
export interface WasmSpec {
  readonly kind: 'wasm'
  readonly workDir: string
  /** As Pyodide's. */
  readonly writable?: readonly string[] | undefined
  readonly env: Readonly<Record<string, string>>
}

/** Runs each language by the engine that has it; a language of neither is refused by QuickJS. */
export function wasmBackend(spec: WasmSpec): LimitedBackend {
  const python = pyodideBackend({ ...spec, kind: 'pyodide' })
  const script = quickjsBackend()
  const of = (runtime: Runtime): LimitedBackend => (runtime === 'python' ? python : script)
  return {
    isolation: 'wasm',
    fault: async (runtime) => await of(runtime).fault(runtime),
    run: async (job, watch) => await of(job.runtime).run(job, watch),
    artifacts: async () => await python.artifacts(),
    async close() {
      await python.close()
      await script.close()
    },
  }
}
