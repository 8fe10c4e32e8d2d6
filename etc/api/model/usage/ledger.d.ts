import type { UsageSummary } from '@x/interfaces';
import { type LedgerRow, LedgerRows } from './ledger-rows.ts';
export declare class Ledger extends LedgerRows {
    #private;
    add(row: LedgerRow, isWhole?: boolean): void;
    get rows(): readonly LedgerRow[];
    get actual(): UsageSummary | null;
    get total(): UsageSummary | null;
    get longestAnswer(): number | undefined;
    restore(actual: UsageSummary | null, total: UsageSummary | null): void;
    clear(): void;
}
export declare class UsageSum {
    #private;
    add({ usage }: Pick<LedgerRow, 'usage'>): void;
    addSummary({ totalCost, models, unpriced }: UsageSummary): void;
    get summary(): UsageSummary;
    clone(): UsageSum;
}
