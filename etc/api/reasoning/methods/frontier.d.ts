import { type Method } from '../strategy/strategy.ts';
import { type FrontierOptions } from './frontier-options.ts';
export declare function bestFirst(options?: FrontierOptions): Method;
export declare function depthFirst(options?: FrontierOptions): Method;
