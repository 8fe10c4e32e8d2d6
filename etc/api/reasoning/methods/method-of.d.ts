import type { AnswerApproach, ReasonMethod } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { Method } from '../strategy/strategy.ts';
import { type AbMctsOptions } from './ab-mcts.ts';
import { type AutoOptions } from './auto.ts';
import { type BeamOptions } from './beam.ts';
import { type BestByRewardOptions } from './best-by-reward.ts';
import { type ForestOptions } from './forest.ts';
import { type FrontierOptions } from './frontier-options.ts';
import { type GradedMctsOptions } from './graded-mcts.ts';
import { type MctsOptions } from './mcts.ts';
import { type ReflectiveMctsOptions } from './reflective-mcts.ts';
import { type SelfConsistencyOptions } from './self-consistency.ts';
export interface MethodConfig extends FrontierOptions, Pick<BeamOptions, 'gradeSamples'>, Pick<MctsOptions, 'virtualLoss'>, Pick<GradedMctsOptions, 'widenEvery'>, Pick<AutoOptions, 'minGain' | 'prior'>, Pick<AbMctsOptions, 'rewardWeight' | 'models'>, Pick<ReflectiveMctsOptions, 'samples' | 'gradeWeight' | 'reflections'>, Pick<SelfConsistencyOptions, 'atOnce' | 'confidence'>, Pick<BestByRewardOptions, 'rewards' | 'stepsOf'>, Pick<ForestOptions, 'merge'> {
    method?: ReasonMethod | Method | undefined;
    forestSize?: number | undefined;
    beamSize?: number | undefined;
    answerApproach?: AnswerApproach | undefined;
    nsim?: number | undefined;
    explorationConstant?: number | undefined;
}
export declare const METHOD_KINDS: OptionKinds<MethodConfig>;
export declare const METHOD_NAMES: readonly ReasonMethod[];
export declare function methodOf(config?: MethodConfig): Method;
export declare function checkMethodOptions(config: MethodConfig, operation: string): void;
export declare function methodFrom(config: MethodConfig): Method;
