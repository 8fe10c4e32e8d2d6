import type { Limiter } from '@x/interfaces';
import { type LimitsByModel } from '@x/kernel/limits';
export interface LimiterOptions {
    readonly now?: (() => number) | undefined;
}
export declare function createLimiter(limits: LimitsByModel, options?: LimiterOptions): Limiter;
