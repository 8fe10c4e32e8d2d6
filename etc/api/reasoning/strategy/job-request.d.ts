import type { CallInput, MaybePromise, Run } from '@x/interfaces';
import { type NodeFate } from '../tree/think-node.ts';
import { type SearchJob } from './job.ts';
export interface RequestNode {
    readonly id: string;
    readonly parent: number | null;
    readonly content: string;
    readonly reflection: string;
    readonly ratingDetails: string;
    readonly output: string | null;
    readonly grade: number | null;
    readonly isVerified: boolean | null;
    readonly fate: NodeFate;
}
export interface JobRequest {
    readonly kind: SearchJob['kind'];
    readonly id: string;
    readonly question: string;
    readonly sample: number;
    readonly model: string | null;
    readonly nodes: readonly RequestNode[];
    readonly about: readonly number[];
    readonly isOutcome: boolean;
    readonly context: string | null;
    readonly repair: string | null;
    readonly answers: readonly string[];
    readonly written: string | null;
    readonly maxOptions: number;
    readonly maxOptionLength: number;
}
export type RequestTerms = Pick<JobRequest, 'question' | 'written' | 'maxOptions' | 'maxOptionLength'>;
export declare function toRequest(job: SearchJob, terms: RequestTerms): JobRequest;
export declare function askedIn(job: SearchJob): CallInput;
export declare function fromRequest(request: JobRequest): SearchJob;
export type PerformJob = (job: SearchJob, request: JobRequest, run: Run) => MaybePromise<unknown>;
