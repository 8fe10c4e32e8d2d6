import { containerBackend, type ContainerSpec } from '../container/container-backend.ts'
import type { Backend } from '../run/job.ts'
import { pyodideBackend, type PyodideSpec } from '../wasm/pyodide-backend.ts'
import { quickjsBackend, type QuickjsSpec } from '../wasm/quickjs-backend.ts'
import { wasmBackend, type WasmSpec } from '../wasm/wasm-backend.ts'
import { autoBackend, type AutoSpec } from './auto.ts'
import { localBackend, type LocalSpec } from './local.ts'
import { sandboxBackend, type SandboxSpec } from './sandbox.ts'

/** What a backend is made from: plain data, so that another thread can make the same one. */
export type BackendSpec = LocalSpec | SandboxSpec | WasmSpec | QuickjsSpec | PyodideSpec | ContainerSpec | AutoSpec

/** Makes what runs jobs. */
export function createBackend(spec: BackendSpec): Backend {
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
    default:
      return sandboxBackend(spec)
  }
}
