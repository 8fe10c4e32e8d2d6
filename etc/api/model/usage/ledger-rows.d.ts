import type { LedgerRow } from './ledger-row.ts';
export declare class LedgerRows {
    #private;
    get rowCount(): number;
    addRow(row: LedgerRow): void;
    lastRows(most: number): LedgerRow[];
    dropRows(most: number): void;
}
