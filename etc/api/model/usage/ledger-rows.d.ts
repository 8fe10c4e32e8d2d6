import type { Usage } from '@x/interfaces';
export interface LedgerRow {
    readonly configId: number;
    readonly usage: Omit<Usage, 'cost'> & {
        readonly cost: number | null;
    };
    readonly cached: boolean;
    readonly estimated?: boolean | undefined;
    readonly operation?: 'countTokens' | 'embed' | undefined;
    readonly tags: readonly string[];
    readonly agent: string | null;
    readonly at: number;
}
export declare class LedgerRows {
    #private;
    get rowCount(): number;
    addRow(row: LedgerRow): void;
    lastRows(count: number): LedgerRow[];
    keepLastRows(count: number): void;
}
