import type { EvalTask, LabelledAnswer } from './task.ts';
interface RecordedRun {
    readonly info: {
        readonly runId: string;
        readonly labels: readonly {
            readonly name: string;
            readonly value: unknown;
            readonly place: string | null;
        }[];
    };
    readonly message: unknown;
}
export declare function readTasks(text: string): readonly EvalTask[];
export declare function readLabelled(text: string): readonly LabelledAnswer[];
export declare function tasksFromRuns(runs: Iterable<RecordedRun>): readonly EvalTask[];
export {};
