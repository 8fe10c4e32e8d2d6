import type { Budget, Spending } from '@x/interfaces';
export interface BudgetOptions extends Partial<Spending> {
    readonly name?: string | undefined;
    readonly perCall?: Partial<Spending> | undefined;
    readonly parent?: Budget | undefined;
}
export declare function createBudget({ name, perCall, parent, ...limit }: BudgetOptions): Budget;
