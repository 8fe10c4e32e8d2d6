import type { SearchBeliefs } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { Method } from '../strategy/strategy.ts';
import type { GradeMode } from './beam.ts';
export interface AutoOptions {
    maxDepth?: number | undefined;
    width?: number | undefined;
    minGain?: number | undefined;
    gradeMode?: GradeMode | undefined;
    prior?: readonly SearchBeliefs[] | undefined;
    normalize?: ((text: string) => string) | undefined;
}
export declare const AUTO_KINDS: OptionKinds<AutoOptions>;
export declare function auto(options?: AutoOptions): Method;
