import type { Artifact, Isolation, MaybePromise, StopReason } from '@x/interfaces';
import type { Job, OutputChunk } from '../run/job.ts';
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
