import type { LimitedBackend } from '../run/job.ts';
export interface WasmSpec {
    readonly kind: 'wasm';
    readonly workDir: string;
    readonly writable?: readonly string[] | undefined;
    readonly env: Readonly<Record<string, string>>;
}
export declare function wasmBackend(spec: WasmSpec): LimitedBackend;
