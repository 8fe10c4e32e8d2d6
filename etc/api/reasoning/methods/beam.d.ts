import { type OptionKinds } from '@x/kernel/options';
import type { AnswerApproach } from '@x/interfaces';
import { type Method } from '../strategy/strategy.ts';
export type GradeMode = 'each' | 'per-parent';
export interface BeamOptions {
    beamSize?: number | undefined;
    maxDepth?: number | undefined;
    answerApproach?: AnswerApproach | undefined;
    gradeMode?: GradeMode | undefined;
    gradeSamples?: number | undefined;
}
export declare const BEAM_KINDS: OptionKinds<BeamOptions>;
export declare function beam(options?: BeamOptions): Method;
export declare const DFS_KINDS: OptionKinds<Omit<BeamOptions, 'beamSize'>>;
export declare function dfs(options?: Omit<BeamOptions, 'beamSize'>): Method;
