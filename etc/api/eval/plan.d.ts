import type { Budget, JsonValue, MaybePromise, RunTracer, Spending } from '@x/interfaces';
import type { EvalCell } from './report.ts';
import type { Contestant, EvalTask, Scorer, World } from './task.ts';
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
type Optional = 'file' | 'budget' | 'onCell' | 'records';
export type Plan = {
    readonly [K in Exclude<keyof EvalOptions, Optional>]-?: Exclude<EvalOptions[K], undefined>;
} & Pick<EvalOptions, 'budget' | 'onCell' | 'records'> & {
    readonly cells: readonly PlannedCell[];
};
export interface PlannedCell {
    readonly id: string;
    readonly earlierIds: readonly string[];
    readonly asked: string;
    readonly task: EvalTask;
    readonly contestant: Contestant;
    readonly repeat: number;
    readonly seed: number;
}
export declare function planOf(options: EvalOptions): Plan;
export declare function askedIdOf(task: EvalTask, world?: FirstWorld): string;
type FirstWorld = World & {
    readonly start: JsonValue;
};
export declare function worldOf({ id, world }: EvalTask): FirstWorld | undefined;
export declare const isBudget: (budget: Partial<Spending> | Budget) => budget is Budget;
export declare const plainJson: (value: JsonValue | undefined) => JsonValue;
export {};
