import type { AnswerUsage } from './answer.ts';
import type { ClientOptions, ExtraOptions } from './config-entry.ts';
import type { ModelAttempt } from './error.ts';
import type { RequestExtras } from './request-params.ts';
import type { UsageSummary } from './usage.ts';
export interface EmbedRequest extends Omit<ExtraOptions, 'allowFormatStrTemplate' | 'context' | 'filterFunc'>, Pick<ClientOptions, 'timeout'>, RequestExtras {
    input: string | readonly string[];
    model?: string | undefined;
    dimensions?: number | undefined;
    user?: string | undefined;
    agent?: string | undefined;
    sample?: number | undefined;
    [parameter: string]: unknown;
}
export interface EmbedParams extends RequestExtras {
    readonly model?: string | undefined;
    readonly input: readonly string[];
    readonly dimensions?: number | undefined;
    readonly [parameter: string]: unknown;
}
export interface EmbedAnswer {
    readonly model: string;
    readonly embeddings: readonly (readonly number[])[];
    readonly usage?: AnswerUsage | undefined;
}
export interface EmbedResponse {
    embeddings: number[][];
    model: string;
    provider: string | null;
    configId: number;
    usage: {
        promptTokens: number;
        totalTokens: number;
    };
    cost: number;
    unpriced?: true | undefined;
    cachedCount: number;
    attempts: readonly ModelAttempt[];
    unanswered?: UsageSummary | undefined;
}
