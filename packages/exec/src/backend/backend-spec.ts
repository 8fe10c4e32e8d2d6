import type { ContainerSpec } from '../container/container-backend.ts'
import type { PyodideSpec } from '../wasm/pyodide-backend.ts'
import type { QuickjsSpec } from '../wasm/quickjs-backend.ts'
import type { WasmSpec } from '../wasm/wasm-backend.ts'
import type { CustomSpec, ImportedSpec } from '../custom/custom-spec.ts'
import type { LocalSpec } from './local.ts'
import type { SandboxSpec } from './sandbox-spec.ts'

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
