import type { SearchUsage } from '@x/interfaces';
export interface SearchBudget {
    calls?: number | undefined;
    tokens?: number | undefined;
    cost?: number | undefined;
    seconds?: number | undefined;
    nodes?: number | undefined;
}
export declare const checkBudget: (budget: SearchBudget | undefined) => void;
export type Admission = 'now' | 'later' | 'never';
export declare class SearchLedger {
    #private;
    readonly used: SearchUsage;
    constructor(budget: SearchBudget);
    get searchMs(): number;
    get allMs(): number;
    admits(reserve: number): Admission;
    allowsNodes(trees: readonly {
        readonly size: number;
    }[]): boolean;
    begin(): void;
    endAll(): void;
    end(used: SearchUsage): void;
    drop(): void;
}
