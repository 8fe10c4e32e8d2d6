import { type OptionKinds } from '@x/kernel/options';
import type { Method } from '../strategy/strategy.ts';
export interface SelfConsistencyOptions {
    n?: number | undefined;
    atOnce?: number | undefined;
    confidence?: number | undefined;
    normalize?: ((text: string) => string) | undefined;
}
export declare const SELF_CONSISTENCY_KINDS: OptionKinds<SelfConsistencyOptions>;
export declare function selfConsistency(options?: SelfConsistencyOptions): Method;
