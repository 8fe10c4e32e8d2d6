import type { Method } from '../strategy/strategy.ts';
export interface AbMctsOptions {
    nsim?: number | undefined;
    maxDepth?: number | undefined;
    width?: number | undefined;
    acceptAt?: number | undefined;
    rewardWeight?: number | undefined;
    models?: readonly string[] | undefined;
}
export declare function abMcts(options?: AbMctsOptions): Method;
