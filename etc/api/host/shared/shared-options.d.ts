import type { Spending } from '@x/interfaces';
import type { BudgetPeriod } from './budget-period.ts';
export interface HostLimiterOptions {
    readonly lease?: number | undefined;
    readonly storeTimeout?: number | undefined;
    readonly whenDown?: 'alone' | 'refuse' | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export interface HostBudgetOptions extends Partial<Spending> {
    readonly per?: BudgetPeriod | undefined;
    readonly perCall?: Partial<Spending> | undefined;
    readonly whenFull?: 'wait' | 'refuse' | undefined;
    readonly strict?: boolean | undefined;
    readonly minTokens?: number | undefined;
    readonly lease?: number | undefined;
    readonly onError?: ((error: unknown) => void) | undefined;
}
export declare const checkLimiterOptions: (options: HostLimiterOptions) => void;
export declare function checkBudget(name: unknown, options: HostBudgetOptions): void;
