import { type Method } from '../strategy/strategy.ts';
export interface GradedMctsOptions {
    nsim?: number | undefined;
    maxDepth?: number | undefined;
    explorationConstant?: number | undefined;
    width?: number | undefined;
    acceptAt?: number | undefined;
    widenEvery?: number | undefined;
}
export declare function gradedMcts(options?: GradedMctsOptions): Method;
