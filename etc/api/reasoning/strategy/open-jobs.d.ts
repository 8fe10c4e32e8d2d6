import { type SearchJob } from './job.ts';
export declare class OpenJobs {
    #private;
    get size(): number;
    post(job: SearchJob): void;
    close(job: SearchJob): boolean;
    drop(test?: (job: SearchJob) => boolean): void;
    list(): readonly SearchJob[];
}
