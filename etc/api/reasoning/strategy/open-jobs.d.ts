import { type Job } from './job.ts';
export declare class OpenJobs {
    #private;
    get size(): number;
    post(job: Job): void;
    close(job: Job): boolean;
    drop(test?: (job: Job) => boolean): void;
    list(): readonly Job[];
}
