import type { Budget, MaybePromise, Reservation, ReserveOptions, Spending } from '@x/interfaces';
type Reserving = Pick<Budget, 'reserve'>;
export declare function reserveInBoth([first, second]: readonly [Reserving, Reserving], estimate: Spending, options?: ReserveOptions): MaybePromise<Reservation>;
export {};
