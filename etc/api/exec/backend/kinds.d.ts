import type { Isolation } from '@x/interfaces';
import { type ContainerSpec } from '../container/container-backend.ts';
import { type CustomSpec, type ImportedSpec } from '../custom/custom-backend.ts';
import type { LimitedBackend } from '../run/job.ts';
import { type ExecutePolicy } from '../run/languages.ts';
import type { ExecutionLimits } from '../run/limits.ts';
import { type PyodideSpec } from '../wasm/pyodide-backend.ts';
import { type QuickjsSpec } from '../wasm/quickjs-backend.ts';
import type { ChangeRules } from '../changes/changeset.ts';
import { type LocalSpec } from './local.ts';
import type { SandboxSpec } from './sandbox-spec.ts';
import { type MachineFacts, type WallRequirement, type Walls } from './walls.ts';
import type { Workspace } from './workspace.ts';
export type ExecutorKind = 'auto' | 'local' | 'sandbox' | 'bubblewrap' | 'unshare' | 'wasm' | 'container';
interface ExecutorRow {
    readonly isolation: Isolation;
    readonly runsOn: BackendKind | readonly Exclude<BackendKind, 'local'>[];
    readonly confined?: true;
    readonly execute?: ExecutePolicy;
}
export declare const EXECUTORS: Readonly<Record<ExecutorKind, ExecutorRow>>;
interface BackendSpecs {
    local: LocalSpec;
    bubblewrap: SandboxSpec;
    unshare: SandboxSpec;
    wasm: WasmSpec;
    quickjs: QuickjsSpec;
    pyodide: PyodideSpec;
    container: ContainerSpec;
}
export type BackendKind = keyof BackendSpecs;
export interface ExecutorFacts {
    readonly limits: ExecutionLimits;
    readonly workDir: string;
    readonly given: string | null;
    readonly workspace: Workspace;
    readonly env: Readonly<Record<string, string>>;
    readonly network: 'none' | 'host';
    readonly readOnly: readonly string[];
    readonly rules: ChangeRules;
    readonly image: string;
    readonly runtime: string | undefined;
    readonly socket: string | undefined;
    readonly hostEnv: Readonly<Record<string, string | undefined>>;
}
export declare const BACKEND_KINDS: readonly BackendKind[];
type BuiltInSpec = BackendSpecs[BackendKind] | AutoSpec;
export type BackendSpec = BuiltInSpec | CustomSpec;
export type ThreadSpec = BuiltInSpec | ImportedSpec;
interface AutoSpec {
    readonly kind: 'auto';
    readonly candidates: readonly BackendSpecs[Exclude<BackendKind, 'local'>][];
}
type WasmSpec = Omit<PyodideSpec, 'kind'> & {
    readonly kind: 'wasm';
};
export declare function describeBackend(kind: ExecutorKind, facts: ExecutorFacts): BackendSpec;
export declare function createBackend(spec: BackendSpec): LimitedBackend;
export declare function wallsOf(spec: BackendSpec, machine: MachineFacts): Walls;
export declare function withWalls(spec: BackendSpec, required: readonly WallRequirement[], machine: MachineFacts): BackendSpec;
export {};
