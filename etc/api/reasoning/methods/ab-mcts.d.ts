import { type OptionKinds } from '@x/kernel/options';
import type { Method } from '../strategy/strategy.ts';
export interface AbMctsOptions {
    nsim?: number | undefined;
    maxDepth?: number | undefined;
    width?: number | undefined;
    acceptAt?: number | undefined;
    rewardWeight?: number | undefined;
    models?: readonly string[] | undefined;
}
export declare const AB_MCTS_KINDS: OptionKinds<AbMctsOptions>;
export declare function abMcts(options?: AbMctsOptions): Method;
