import type { ContainerSpec } from '../container/container-backend.ts'
import type { PyodideSpec } from '../wasm/pyodide-backend.ts'
import type { QuickjsSpec } from '../wasm/quickjs-backend.ts'
import type { WasmSpec } from '../wasm/wasm-backend.ts'
import type { LocalSpec } from './local.ts'
import type { SandboxSpec } from './sandbox-spec.ts'

/** What a backend is made from: plain data, so that another thread can make the same one. */
export type BackendSpec = LocalSpec | SandboxSpec | WasmSpec | QuickjsSpec | PyodideSpec | ContainerSpec | AutoSpec

/** Several ways to run code, best first; none of them is the host. */
export interface AutoSpec {
  readonly kind: 'auto'
  readonly candidates: readonly Exclude<BackendSpec, { kind: 'auto' | 'host' }>[]
}
