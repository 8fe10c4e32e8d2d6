import { type OptionKinds } from '@x/kernel/options';
import type { Method } from '../strategy/strategy.ts';
export interface BestByRewardOptions {
    n?: number | undefined;
    rewards?: 'outcome' | 'process' | undefined;
    stepsOf?: ((answer: string) => readonly string[]) | undefined;
}
export declare const BEST_BY_REWARD_KINDS: OptionKinds<BestByRewardOptions>;
export declare function bestByReward(options?: BestByRewardOptions): Method;
