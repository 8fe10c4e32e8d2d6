import { type Method } from '../strategy/strategy.ts';
export interface BestOfNOptions {
    n?: number | undefined;
    normalize?: ((text: string) => string) | undefined;
}
export declare function bestOfN(options?: BestOfNOptions): Method;
