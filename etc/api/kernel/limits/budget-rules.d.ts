import type { BudgetCall, Spending } from '@x/interfaces';
export declare const BUDGET_DIMENSIONS: readonly ['cost', 'tokens', 'calls'];
export type Units = Spending;
export type GivenAmounts = {
    readonly [K in keyof Spending]?: number | undefined;
};
export declare const noUnits: () => Units;
export declare const unitsOf: ({ cost, tokens, calls }: Spending) => Units;
export declare const limitUnits: ({ cost, tokens, calls }: GivenAmounts) => Units;
export declare const spendingOf: ({ cost, tokens, calls }: Units) => Spending;
export declare function addUnits(sum: Units, { cost, tokens, calls }: Units, sign?: 1 | -1): void;
export declare const eachUnit: (a: Units, b: Units, compute: (a: number, b: number) => number) => Units;
export interface BudgetRules {
    readonly name: string;
    readonly limit: Units;
    readonly perCall: Partial<Spending> | undefined;
    readonly strict: boolean;
    readonly minTokens: number;
    readonly per: 'hour' | 'day' | 'month' | number | undefined;
}
export interface HeldReservations {
    open: Units;
    count: number;
    unknown: readonly (readonly [model: string, calls: number])[];
}
export interface BudgetWorker extends HeldReservations {
    readonly id: string;
    until: number;
    lease: number;
    spent: Units;
    lost?: {
        readonly start: number | null;
    } | undefined;
}
export interface BudgetRecord {
    start: number | null;
    used: Units;
    workers: BudgetWorker[];
    lengths: (readonly [model: string, tokens: number])[];
}
export interface ReservationRequest {
    readonly estimate: Spending;
    readonly call: BudgetCall | undefined;
    readonly waits: boolean;
    readonly behind: boolean;
}
export interface Admission {
    readonly amounts: Units;
    readonly maxTokens?: number | undefined;
    readonly unknownModel?: string | undefined;
}
export interface Refusal {
    readonly later: boolean;
    readonly amounts: Units;
    readonly unknownModel?: string | undefined;
}
export interface BudgetUpdate extends Readonly<HeldReservations> {
    readonly worker: string;
    readonly lease: number;
    readonly rules: BudgetRules;
    readonly spent: Units;
    readonly counted: Units;
    readonly lengths: readonly (readonly [model: string, tokens: number])[];
    readonly requests: readonly ReservationRequest[];
}
export interface BudgetAnswer {
    readonly verdicts: readonly (Admission | Refusal)[];
    readonly sums: BudgetSums;
}
export interface BudgetSums {
    readonly used: Units;
    readonly open: Units;
    readonly start: number | null;
}
export declare function decideBudget(value: unknown, now: number, update: BudgetUpdate): {
    readonly value: BudgetRecord;
    readonly answer: BudgetAnswer;
};
export declare function sumsOf({ used, workers, start }: BudgetRecord): BudgetSums;
export declare function noteLength(record: BudgetRecord, model: string, tokens: number): void;
export declare function decideRequest(record: BudgetRecord, me: HeldReservations, rules: BudgetRules, request: ReservationRequest): Admission | Refusal;
export declare function hold(me: HeldReservations, { amounts, unknownModel }: Admission): void;
export declare function drop(me: HeldReservations, { amounts, unknownModel }: Admission): void;
export declare function isEstimatedByLength(rules: BudgetRules, { maxTokens }: BudgetCall): boolean;
export declare function estimateByLength({ perCall }: BudgetRules, call: BudgetCall, longest: number | undefined): Units;
export declare function readBudget(value: unknown, now: number, { name, per }: Pick<BudgetRules, 'name' | 'per'>): BudgetRecord;
export declare function periodAt(time: number, per: NonNullable<BudgetRules['per']>): {
    readonly start: number;
    readonly end: number;
};
