import type { UsageSummary } from '@x/interfaces';
import type { LedgerRow } from './ledger-row.ts';
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
