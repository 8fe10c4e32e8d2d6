import type { ContainerSpec } from '../container/container-backend.ts';
import type { PyodideSpec } from '../wasm/pyodide-backend.ts';
import type { QuickjsSpec } from '../wasm/quickjs-backend.ts';
import type { WasmSpec } from '../wasm/wasm-backend.ts';
import type { CustomSpec, ImportedSpec } from '../custom/custom-spec.ts';
import type { LocalSpec } from './local.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
type BuiltInSpec = LocalSpec | SandboxSpec | WasmSpec | QuickjsSpec | PyodideSpec | ContainerSpec | AutoSpec;
export type BackendSpec = BuiltInSpec | CustomSpec;
export type ThreadSpec = BuiltInSpec | ImportedSpec;
export interface AutoSpec {
    readonly kind: 'auto';
    readonly candidates: readonly Exclude<BuiltInSpec, {
        kind: 'auto' | 'host';
    }>[];
}
export {};
