import type { Budget, MaybePromise, Spending } from '@x/interfaces';
import type { ContractRunner } from '../contracts/contract-runner.ts';
interface ContractBudgetOptions extends Partial<Spending> {
    readonly strict?: boolean;
    readonly minTokens?: number;
    readonly whenFull?: 'wait' | 'refuse';
    readonly perCall?: Partial<Spending>;
}
export interface BudgetContract {
    readonly name: string;
    readonly create: (options: ContractBudgetOptions) => MaybePromise<OpenBudget>;
}
interface OpenBudget {
    readonly budget: Budget;
    close(): MaybePromise<void>;
}
export declare function budgetContract({ describe, test, expect }: ContractRunner, { name, create }: BudgetContract): void;
export {};
