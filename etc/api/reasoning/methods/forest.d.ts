import { type OptionKinds } from '@x/kernel/options';
import type { Method } from '../strategy/strategy.ts';
export interface ForestOptions {
    size?: number | undefined;
    merge?: 'model' | 'vote' | undefined;
    normalize?: ((text: string) => string) | undefined;
}
export declare const FOREST_KINDS: OptionKinds<ForestOptions>;
export declare function forest(method: Method, options?: ForestOptions): Method;
