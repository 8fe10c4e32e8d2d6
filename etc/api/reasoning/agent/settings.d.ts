import type { AnswerApproach, ReasonConfig } from '@x/interfaces';
import type { SearchBudget } from '../search/budget.ts';
import type { Verifier } from '../search/parts.ts';
export interface ReasonOptions extends ReasonConfig {
    budget?: SearchBudget | undefined;
    concurrency?: number | undefined;
    verifier?: Verifier | undefined;
}
export interface DeprecatedReasonOptions {
    maxDepth?: number | undefined;
    beamSize?: number | undefined;
    answerApproach?: AnswerApproach | undefined;
}
export interface ReasonSettings extends ReasonOptions {
    readonly maxDepth: number;
    readonly beamSize: number;
    readonly ratingScale: number;
    readonly answerApproach: AnswerApproach;
}
export declare const usesDeprecated: (given: DeprecatedReasonOptions) => boolean;
export declare function settingsFrom(config: ReasonOptions, deprecated: DeprecatedReasonOptions): ReasonSettings;
