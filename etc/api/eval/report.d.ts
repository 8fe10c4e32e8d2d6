import type { Spending } from '@x/interfaces';
import { type EvalSpending } from './answer-file.ts';
import type { JudgeAgreement } from './score.ts';
import { type Interval } from './statistics.ts';
export interface EvalCell {
    readonly task: string;
    readonly kind: string;
    readonly contestant: string;
    readonly repeat: number;
    readonly status: 'scored' | 'unscored' | 'missing';
    readonly answer: string | null;
    readonly score: number | null;
    readonly reason: string | null;
    readonly confidence: number | null;
    readonly spent: EvalSpending;
    readonly ms: number;
    readonly isReplayed: boolean;
    readonly runs: readonly string[];
}
export interface EvalRow {
    readonly contestant: string;
    readonly kind: string | null;
    readonly score: Interval | null;
    readonly scored: number;
    readonly wanted: number;
    readonly spent: EvalSpending;
    readonly ms: number | null;
    readonly calibration: Calibration | null;
}
export interface Calibration {
    readonly n: number;
    readonly brier: Interval;
    readonly ece: number;
    readonly bins: readonly {
        readonly from: number;
        readonly to: number;
        readonly n: number;
        readonly confidence: number;
        readonly score: Interval;
    }[];
}
export interface Comparison {
    readonly first: string;
    readonly second: string;
    readonly difference: Interval | null;
    readonly wins: number;
    readonly losses: number;
    readonly ties: number;
    readonly p: number;
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
export declare function problemOf({ cells, stopped }: Pick<EvalReport, 'cells' | 'stopped'>, earlier: Spending): string | null;
export declare const USED_UP = "the budget is used up";
export declare function rowsOf(cells: readonly EvalCell[], seed: number): readonly EvalRow[];
export declare function compare(cells: readonly EvalCell[], first: string, second: string, seed: number): Comparison;
