import type { Artifact, Isolation, StopReason } from '@x/interfaces';
import type { Change, Choice, Proposal } from '../changes/changeset.ts';
import type { ExecutionLimits } from './limits.ts';
import type { Runtime } from './languages.ts';
export interface Job {
    readonly runtime: Runtime;
    readonly code: string;
    readonly file: string;
    readonly saveOnly: boolean;
    readonly isNamed?: boolean;
    readonly asks?: boolean;
    readonly limits: ExecutionLimits;
}
export interface OutputChunk {
    readonly stream: 'stdout' | 'stderr';
    readonly text: string;
}
export interface Outcome {
    readonly exitCode: number;
    readonly stdout: string;
    readonly stderr: string;
    readonly reason: StopReason;
    readonly truncatedBytes: number;
    readonly isolation?: Isolation | undefined;
    readonly savedAs?: string | null | undefined;
    readonly changes?: readonly Change[] | undefined;
    readonly proposal?: Proposal | undefined;
}
export interface Watch {
    readonly signal?: AbortSignal | undefined;
    readonly onOutput?: ((chunk: OutputChunk) => void) | undefined;
}
export interface LimitedBackend {
    readonly isolation: Isolation;
    fault(runtime: Runtime): Promise<string | null>;
    run(job: Job, watch: Watch): Promise<Outcome>;
    settle?(job: Job, id: number, choice: Choice): Promise<readonly Change[]>;
    artifacts(): Promise<Artifact[]>;
    restart?(): Promise<void>;
    close(): Promise<void>;
}
export declare const failedOutcome: (reason: StopReason, stderr: string, exitCode?: number) => Outcome;
