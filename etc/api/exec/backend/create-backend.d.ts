import { type ContainerSpec } from '../container/container-backend.ts';
import { type CustomSpec, type ImportedSpec } from '../custom/custom-backend.ts';
import { type PyodideSpec } from '../wasm/pyodide-backend.ts';
import { type QuickjsSpec } from '../wasm/quickjs-backend.ts';
import { type LocalSpec } from './local.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
import type { LimitedBackend } from '../run/job.ts';
type BuiltInSpec = LocalSpec | SandboxSpec | WasmSpec | QuickjsSpec | PyodideSpec | ContainerSpec | AutoSpec;
export type BackendSpec = BuiltInSpec | CustomSpec;
export type ThreadSpec = BuiltInSpec | ImportedSpec;
interface AutoSpec {
    readonly kind: 'auto';
    readonly candidates: readonly Exclude<BuiltInSpec, {
        kind: 'auto' | 'host';
    }>[];
}
interface WasmSpec {
    readonly kind: 'wasm';
    readonly workDir: string;
    readonly writable?: readonly string[] | undefined;
    readonly env: Readonly<Record<string, string>>;
}
export declare function createBackend(spec: BackendSpec): LimitedBackend;
export {};
