import type { Artifact, Isolation, MaybePromise, StopReason } from '@x/interfaces';
import type { Walls } from '../backend/walls.ts';
import type { Job, OutputChunk } from '../run/job.ts';
import type { ExecutionLimits } from '../run/limits.ts';
export interface JobControl {
    readonly signal: AbortSignal;
    onOutput(chunk: OutputChunk): void;
}
export interface JobResult {
    readonly exitCode: number;
    readonly stdout?: string | undefined;
    readonly stderr?: string | undefined;
    readonly reason?: StopReason | undefined;
    readonly isolation?: Isolation | undefined;
    readonly savedAs?: string | null | undefined;
}
export interface Backend {
    readonly isolation?: Isolation | undefined;
    fault(runtime: Job['runtime']): MaybePromise<string | null>;
    run(job: Job, control: JobControl): MaybePromise<JobResult>;
    artifacts?(): MaybePromise<Artifact[]>;
    restart?(): MaybePromise<void>;
    close?(): MaybePromise<void>;
}
export interface BackendContext<Settings = undefined> {
    readonly id: string;
    readonly workDir: string;
    readonly limits: ExecutionLimits;
    readonly settings: Settings;
}
export interface BackendFactory<Settings = undefined> {
    readonly isolation: Isolation;
    readonly walls?: Partial<Omit<Walls, 'program'>> | undefined;
    readonly specVersion: 1;
    readonly concurrency?: number | undefined;
    readonly module?: {
        readonly specifier: string;
        readonly export: string;
        readonly url?: string | undefined;
    } | undefined;
    createBackend(context: BackendContext<Settings>): Backend;
}
