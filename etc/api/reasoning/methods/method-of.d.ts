import type { AnswerApproach, ReasonMethod } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { Method } from '../strategy/strategy.ts';
export interface MethodConfig {
    method?: ReasonMethod | undefined;
    maxDepth?: number | undefined;
    forestSize?: number | undefined;
    beamSize?: number | undefined;
    answerApproach?: AnswerApproach | undefined;
    nsim?: number | undefined;
    explorationConstant?: number | undefined;
}
export declare const METHOD_KINDS: OptionKinds<MethodConfig>;
export declare const METHOD_NAMES: readonly ReasonMethod[];
export declare function methodOf(config?: MethodConfig): Method;
export declare function methodFrom(config: MethodConfig): Method;
