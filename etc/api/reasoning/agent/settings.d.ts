import type { AnswerApproach, ChatMessage, MaybePromise, Run } from '@x/interfaces';
import { type MethodConfig } from '../methods/method-of.ts';
import { type SearchBounds } from '../search/bounds.ts';
import { type SearchBudget } from '../search/budget.ts';
import type { Verifier } from '../search/parts.ts';
import type { SearchParts } from '../search/search-options.ts';
import type { PerformJob } from '../strategy/job-request.ts';
export type Rewriter = (messages: readonly ChatMessage[], run: Run) => MaybePromise<string>;
export type ReasonParts = Partial<Pick<SearchParts, 'proposer' | 'grader' | 'answerer' | 'verifier'>>;
export interface ReasonConfig extends MethodConfig, SearchBounds {
    ratingScale?: number | undefined;
    budget?: SearchBudget | undefined;
    concurrency?: number | undefined;
    verifier?: Verifier | undefined;
    perform?: PerformJob | undefined;
    parts?: ReasonParts | undefined;
    rateUpTo?: number | null | undefined;
    maxPromptLength?: number | undefined;
    rewriter?: 'model' | Rewriter | null | undefined;
    repair?: boolean | undefined;
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
export declare const repairsReplies: ({ repair, method }: ReasonConfig) => boolean;
export declare const usesDeprecated: (options: DeprecatedReasonOptions) => boolean;
export declare function settingsFrom(config: ReasonConfig, deprecated: DeprecatedReasonOptions): ReasonSettings;
