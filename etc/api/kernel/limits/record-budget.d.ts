import type { BudgetCall, MaybePromise, Reservation, ReserveOptions, SettledAnswer, SharedBudget, Spending } from '@x/interfaces';
import { type Admission, type BudgetRules, type GivenAmounts, type Units } from './budget-rules.ts';
import { type RecordPlace } from './record-updater.ts';
export interface RecordBudgetOptions extends Omit<BudgetRules, 'limit' | 'perCall'> {
    readonly limit: GivenAmounts;
    readonly perCall: GivenAmounts | undefined;
    readonly waits: boolean;
    readonly shared?: (RecordPlace & {
        readonly key: string;
    }) | undefined;
    readonly spent?: GivenAmounts | undefined;
}
export declare class RecordBudget implements SharedBudget {
    #private;
    constructor({ limit, perCall, waits, shared, spent, ...rules }: RecordBudgetOptions);
    get spent(): Spending;
    state(): ReturnType<SharedBudget['state']>;
    reserve(estimate: Spending, { call, waiter }?: ReserveOptions): MaybePromise<Reservation>;
    get isIdle(): boolean;
    flush(): Promise<void>;
    close(): void;
    end(reservation: OpenReservation, actual: Spending | undefined, { estimated, outputTokens }: SettledAnswer): void;
}
declare class OpenReservation implements Reservation {
    #private;
    readonly admission: Admission;
    readonly call: BudgetCall | undefined;
    readonly change: number;
    constructor(budget: RecordBudget, admission: Admission, call: BudgetCall | undefined, change: number);
    get units(): Units;
    get amounts(): Spending;
    get maxTokens(): number | undefined;
    settle(actual: Spending, answer?: SettledAnswer): void;
    release(): void;
}
export {};
