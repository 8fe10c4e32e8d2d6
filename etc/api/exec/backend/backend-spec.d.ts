import type { ContainerSpec } from '../container/container-backend.ts';
import type { PyodideSpec } from '../wasm/pyodide-backend.ts';
import type { QuickjsSpec } from '../wasm/quickjs-backend.ts';
import type { WasmSpec } from '../wasm/wasm-backend.ts';
import type { LocalSpec } from './local.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
export type BackendSpec = LocalSpec | SandboxSpec | WasmSpec | QuickjsSpec | PyodideSpec | ContainerSpec | AutoSpec;
export interface AutoSpec {
    readonly kind: 'auto';
    readonly candidates: readonly Exclude<BackendSpec, {
        kind: 'auto' | 'host';
    }>[];
}
