import type { Budget, JsonValue, MaybePromise, RunTracer, Spending } from '@x/interfaces';
import { XError } from '@x/kernel';
import type { EvalCell } from './report.ts';
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
export declare function checkEvalOptions(options: EvalOptions): void;
export declare const refused: (problem: string) => XError;
export declare const isBudget: (budget: Partial<Spending> | Budget) => budget is Budget;
export {};
