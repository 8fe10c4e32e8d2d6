import type { AnswerApproach } from '@x/interfaces';
import { type MethodConfig } from '../methods/method-of.ts';
import { type SearchBudget } from '../search/budget.ts';
import type { Verifier } from '../search/parts.ts';
export interface ReasonConfig extends MethodConfig {
    ratingScale?: number | undefined;
    budget?: SearchBudget | undefined;
    concurrency?: number | undefined;
    verifier?: Verifier | undefined;
}
export interface DeprecatedReasonOptions {
    maxDepth?: number | undefined;
    beamSize?: number | undefined;
    answerApproach?: AnswerApproach | undefined;
}
export interface ReasonSettings extends ReasonConfig {
    readonly maxDepth: number;
    readonly beamSize: number;
    readonly ratingScale: number;
    readonly answerApproach: AnswerApproach;
}
export declare const usesDeprecated: (given: DeprecatedReasonOptions) => boolean;
export declare function settingsFrom(config: ReasonConfig, deprecated: DeprecatedReasonOptions): ReasonSettings;
