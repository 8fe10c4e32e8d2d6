import type { MaybePromise } from './maybe-promise.ts';
export interface Spending {
    cost: number;
    tokens: number;
    calls: number;
}
export interface BudgetCall {
    readonly model: string;
    readonly maxTokens: number | undefined;
    readonly maxOutput: number | undefined;
    estimate(outputTokens: number, atMost?: boolean): Spending;
}
export interface RoomWaiter {
    readonly waiting: boolean;
    onQueued(leave: () => void): void;
    retry(): void;
}
export interface ReserveOptions {
    readonly call?: BudgetCall | undefined;
    readonly waiter?: RoomWaiter | undefined;
}
export interface SettledAnswer {
    readonly outputTokens?: number | undefined;
    readonly estimated?: boolean | undefined;
}
export interface Reservation {
    readonly amounts?: Spending | undefined;
    readonly maxTokens?: number | undefined;
    settle(actual: Spending, answer?: SettledAnswer): void;
    release(): void;
}
export interface Budget {
    reserve(estimate: Spending, options?: ReserveOptions): MaybePromise<Reservation>;
    readonly spent: Spending;
}
export interface BudgetState {
    readonly limit: Partial<Spending>;
    readonly used: Spending;
    readonly open: Spending;
    readonly left: Partial<Spending>;
    readonly until: number | null;
}
export interface SharedBudget extends Budget {
    state(): Promise<BudgetState>;
}
