import { type OptionKinds } from '@x/kernel/options';
import { type Method } from '../strategy/strategy.ts';
export interface MctsOptions {
    nsim?: number | undefined;
    maxDepth?: number | undefined;
    explorationConstant?: number | undefined;
    virtualLoss?: boolean | undefined;
}
export declare const MCTS_KINDS: OptionKinds<MctsOptions>;
export declare const LATS_KINDS: OptionKinds<Omit<MctsOptions, 'virtualLoss'>>;
export declare const mcts: (options?: MctsOptions) => Method;
export declare const lats: (options?: Omit<MctsOptions, 'virtualLoss'>) => Method;
