import { type ContainerSpec } from '../container/container-backend.ts';
import type { Backend } from '../run/job.ts';
import { type WasmSpec } from '../wasm/wasm-backend.ts';
import { type AutoSpec } from './auto.ts';
import { type LocalSpec } from './local.ts';
import { type SandboxSpec } from './sandbox.ts';
export type BackendSpec = LocalSpec | SandboxSpec | WasmSpec | ContainerSpec | AutoSpec;
export declare function createBackend(spec: BackendSpec): Backend;
