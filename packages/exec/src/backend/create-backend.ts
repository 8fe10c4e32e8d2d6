import { containerBackend } from '../container/container-backend.ts'
import { customBackend } from '../custom/custom-backend.ts'
import type { LimitedBackend } from '../run/job.ts'
import { pyodideBackend } from '../wasm/pyodide-backend.ts'
import { quickjsBackend } from '../wasm/quickjs-backend.ts'
import { wasmBackend } from '../wasm/wasm-backend.ts'
import { autoBackend } from './auto.ts'
import type { BackendSpec } from './backend-spec.ts'
import { localBackend } from './local.ts'
import { sandboxBackend } from './sandbox.ts'

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
