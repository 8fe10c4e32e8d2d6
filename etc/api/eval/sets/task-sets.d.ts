import type { CodeExecutor } from '@x/interfaces';
import type { EvalTask } from '../task.ts';
export declare const TASK_SETS: readonly ['game-of-24', 'code', 'arithmetic', 'logic', 'tools'];
type TaskSetName = (typeof TASK_SETS)[number];
interface TaskSetOptions {
    readonly count?: number | undefined;
    readonly seed?: number | undefined;
    readonly executor?: CodeExecutor | undefined;
}
export declare function makeTasks(set: TaskSetName | 'all', options?: TaskSetOptions): readonly EvalTask[];
export {};
