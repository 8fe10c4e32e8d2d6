import type { Budget, Spending } from '@x/interfaces';
export interface BudgetOptions {
    readonly cost?: number | undefined;
    readonly tokens?: number | undefined;
    readonly calls?: number | undefined;
    readonly name?: string | undefined;
    readonly perCall?: Partial<Spending> | undefined;
    readonly parent?: Budget | undefined;
    readonly spent?: Partial<Spending> | undefined;
    readonly whenFull?: 'wait' | 'refuse' | undefined;
    readonly strict?: boolean | undefined;
    readonly minTokens?: number | undefined;
}
export declare function createBudget(options: BudgetOptions): Budget;
