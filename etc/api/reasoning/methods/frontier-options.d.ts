import { type OptionKinds } from '@x/kernel/options';
import type { GradeMode } from './beam.ts';
export interface FrontierOptions {
    expansions?: number | undefined;
    maxDepth?: number | undefined;
    width?: number | undefined;
    acceptAt?: number | undefined;
    pruneAt?: number | undefined;
    widen?: number | undefined;
    confirm?: number | undefined;
    answers?: number | undefined;
    agree?: number | undefined;
    normalize?: ((text: string) => string) | undefined;
    gradeMode?: GradeMode | undefined;
}
export declare const FRONTIER_KINDS: OptionKinds<FrontierOptions>;
export type FrontierSettings = Omit<{
    readonly [K in keyof FrontierOptions]-?: NonNullable<FrontierOptions[K]>;
}, 'normalize' | 'pruneAt'> & {
    readonly pruneAt: number | null;
    readonly normalize: ((text: string) => string) | undefined;
    readonly deepFirst: boolean;
};
export declare function toFrontierSettings(options: FrontierOptions, deepFirst: boolean): FrontierSettings;
