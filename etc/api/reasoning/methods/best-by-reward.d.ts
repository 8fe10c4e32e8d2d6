import type { Method } from '../strategy/strategy.ts';
export interface BestByRewardOptions {
    n?: number | undefined;
    rewards?: 'outcome' | 'process' | undefined;
    stepsOf?: ((answer: string) => readonly string[]) | undefined;
}
export declare function bestByReward(options?: BestByRewardOptions): Method;
