import type { CacheStore, JsonValue, Spending } from '@x/interfaces';
export interface KeptAnswer {
    readonly cell: string;
    readonly task: string;
    readonly contestant: string;
    readonly repeat: number;
    readonly text: string | null;
    readonly confidence: number | null;
    readonly state: JsonValue;
    readonly error: {
        readonly code: string;
        readonly message: string;
    } | null;
    readonly spent: EvalSpending;
    readonly ms: number;
    readonly runs?: readonly string[] | undefined;
}
interface KeptCall {
    readonly call: readonly [cell: string, key: string, n: number];
    readonly value: unknown;
    readonly spent: EvalSpending;
}
export interface EvalSpending extends Spending {
    readonly unpriced?: number | undefined;
}
export declare const NOTHING_SPENT: EvalSpending;
export declare const sumOfSpending: (all: Iterable<EvalSpending>) => EvalSpending;
export declare function lessSpending(from: Spending, ...taken: readonly Spending[]): Spending;
export declare const ROUNDING_ERROR = 1e-9;
export declare class AnswerFile {
    #private;
    constructor(file?: string);
    get lost(): AbortSignal;
    get isKept(): boolean;
    has(cell: string): boolean;
    answer(cell: string): KeptAnswer | undefined;
    keep(answer: KeptAnswer): void;
    keepSpent(cell: string, spent: Spending): void;
    spentOn(cell: string): EvalSpending;
    get spent(): EvalSpending;
    callsOf(cell: string): CellCalls;
    close(): void;
}
interface CallStorage {
    readonly find: (key: string, n: number) => KeptCall | undefined;
    readonly keep: (key: string, n: number, value: unknown, spent: EvalSpending) => void;
}
export declare class CellCalls {
    #private;
    constructor(storage: CallStorage);
    get recalled(): EvalSpending;
    get kept(): EvalSpending;
    cache(): CacheStore;
    once<T>(key: string, make: () => Promise<{
        readonly value: T;
        readonly spent: EvalSpending;
    }>): Promise<T>;
}
export {};
