import type { Budget, JsonValue, MaybePromise, RunTracer, Spending } from '@x/interfaces';
import { type EvalSpending } from './answer-file.ts';
import { type Comparison, type EvalCell, type EvalRow } from './report.ts';
import { type JudgeAgreement } from './score.ts';
import type { Contestant, EvalTask, Scorer } from './task.ts';
export interface EvalOptions {
    readonly tasks: readonly EvalTask[];
    readonly contestants: readonly Contestant[];
    readonly scorer?: Scorer | undefined;
    readonly repeats?: number | undefined;
    readonly file?: string | undefined;
    readonly records?: EvalRecords | undefined;
    readonly name?: string | undefined;
    readonly budget?: Partial<Spending> | Budget | undefined;
    readonly concurrency?: number | undefined;
    readonly timeout?: number | undefined;
    readonly seed?: number | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly onCell?: ((cell: EvalCell, done: number, wanted: number) => void) | undefined;
    readonly now?: (() => number) | undefined;
}
interface EvalRecords {
    readonly tagged: (tags: Readonly<Record<string, string>>) => RunTracer;
    readonly label: (runId: string, label: {
        readonly name: string;
        readonly value: JsonValue;
    }) => MaybePromise<void>;
}
export interface EvalReport {
    readonly isComplete: boolean;
    readonly problem: string | null;
    readonly stopped: 'budget' | 'aborted' | null;
    readonly tasks: number;
    readonly repeats: number;
    readonly contestants: readonly string[];
    readonly rows: readonly EvalRow[];
    readonly comparisons: readonly Comparison[];
    readonly judges: readonly JudgeAgreement[];
    readonly cells: readonly EvalCell[];
    readonly spent: EvalSpending;
    readonly spentNow: EvalSpending;
    readonly warnings: readonly string[];
}
export declare function evaluate(options: EvalOptions): Promise<EvalReport>;
export {};
