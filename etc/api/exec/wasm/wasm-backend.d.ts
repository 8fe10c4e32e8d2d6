import { type Backend } from '../run/job.ts';
export interface WasmSpec {
    readonly kind: 'wasm';
}
export declare function wasmBackend(): Backend;
