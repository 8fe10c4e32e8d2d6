import type { LimitedBackend } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { pyodideBackend } from './pyodide-backend.ts'
import { quickjsBackend } from './quickjs-backend.ts'

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
