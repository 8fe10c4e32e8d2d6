export interface Spending {
    cost: number;
    tokens: number;
    calls: number;
}
export interface Reservation {
    settle(actual: Spending): void;
    release(): void;
}
export interface Budget {
    reserve(estimate: Spending): Reservation;
    readonly spent: Spending;
}
