import { type EvalSpending } from './answer-file.ts';
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
export declare function rowsOf(cells: readonly EvalCell[], seed: number): readonly EvalRow[];
export declare function compare(cells: readonly EvalCell[], first: string, second: string, seed: number): Comparison;
