export type BudgetPeriod = 'hour' | 'day' | 'month' | number;
export interface PeriodBounds {
    readonly start: number;
    readonly end: number;
}
export declare function periodAt(time: number, per: BudgetPeriod): PeriodBounds;
