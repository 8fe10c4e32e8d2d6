import { type OptionKinds } from '@x/kernel/options';
import type { Method } from '../strategy/strategy.ts';
export interface ReflectiveMctsOptions {
    nsim?: number | undefined;
    maxDepth?: number | undefined;
    explorationConstant?: number | undefined;
    samples?: number | undefined;
    gradeWeight?: number | undefined;
    reflections?: number | undefined;
    acceptAt?: number | undefined;
}
export declare const REFLECTIVE_MCTS_KINDS: OptionKinds<ReflectiveMctsOptions>;
export declare function reflectiveMcts(options?: ReflectiveMctsOptions): Method;
