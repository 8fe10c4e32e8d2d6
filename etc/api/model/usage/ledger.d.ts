import type { Usage, UsageSummary } from '@x/interfaces';
export interface LedgerRow {
    readonly configId: number;
    readonly usage: Omit<Usage, 'cost'> & {
        readonly cost: number | null;
    };
    readonly cached: boolean;
    readonly tags: readonly string[];
    readonly agent: string | null;
    readonly at: number;
}
export declare class Ledger {
    #private;
    constructor({ keepRows }?: {
        keepRows?: number | undefined;
    });
    add(row: LedgerRow): void;
    get rows(): readonly LedgerRow[];
    get actual(): UsageSummary | null;
    get total(): UsageSummary | null;
    get longestAnswer(): number | undefined;
    restore(actual: UsageSummary | null, total: UsageSummary | null): void;
    clear(): void;
}
