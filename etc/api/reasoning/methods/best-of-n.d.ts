import { type OptionKinds } from '@x/kernel/options';
import { type Method } from '../strategy/strategy.ts';
export interface BestOfNOptions {
    n?: number | undefined;
    normalize?: ((text: string) => string) | undefined;
}
export declare const BEST_OF_N_KINDS: OptionKinds<BestOfNOptions>;
export declare function bestOfN(options?: BestOfNOptions): Method;
