import type { ThinkNode } from '../tree/think-node.ts';
import { type AnswerJob, type ExpandJob, type GradeJob, type JobPosition, type MergeJob, type SearchJob } from './job.ts';
import { type SearchTask } from './strategy.ts';
export interface JobSettings {
    repetition?: number | undefined;
    position?: JobPosition | undefined;
    level?: number | undefined;
    model?: string | undefined;
    context?: string | null | undefined;
}
export declare class OpenJobs {
    #private;
    constructor(task?: Pick<SearchTask, 'id' | 'question' | 'sample' | 'stride'>);
    expand(node: ThinkNode, settings?: JobSettings): ExpandJob;
    grade(nodes: ThinkNode | readonly ThinkNode[], settings?: JobSettings & {
        isOutcome?: boolean;
    }): GradeJob;
    answer(from: ThinkNode | readonly ThinkNode[], settings?: JobSettings): AnswerJob;
    merge(answers: readonly string[], settings?: JobSettings): MergeJob;
    get size(): number;
    post(job: SearchJob): void;
    has(job: SearchJob): boolean;
    close(job: SearchJob): boolean;
    drop(test?: (job: SearchJob) => boolean): void;
    list(): readonly SearchJob[];
    takePosted(): readonly SearchJob[];
}
