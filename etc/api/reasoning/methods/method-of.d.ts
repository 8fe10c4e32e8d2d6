import type { ReasonConfig, ReasonMethod } from '@x/interfaces';
import type { Method } from '../strategy/strategy.ts';
export declare const METHOD_NAMES: readonly ReasonMethod[];
export declare function methodOf(config?: ReasonConfig): Method;
