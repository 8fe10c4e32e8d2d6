import { type OptionKinds } from '@x/kernel/options';
import { type Method } from '../strategy/strategy.ts';
export interface GradedMctsOptions {
    nsim?: number | undefined;
    maxDepth?: number | undefined;
    explorationConstant?: number | undefined;
    width?: number | undefined;
    acceptAt?: number | undefined;
    widenEvery?: number | undefined;
}
export declare const GRADED_MCTS_KINDS: OptionKinds<GradedMctsOptions>;
export declare function gradedMcts(options?: GradedMctsOptions): Method;
