import type { EmbedAnswer, ModelCapabilities, ModelClient } from '@x/interfaces';
import type { XError } from '@x/kernel';
import type { AnswerBuilder } from '../answer/answer-builder.ts';
import type { ModelAbility } from '../catalogue/model-facts.ts';
import type { HttpRefusal } from '../failure/convert-error.ts';
import type { FailureRule } from '../failure/failure-kind.ts';
import type { IdentifierRule, NameMap } from '../message/identifiers.ts';
import type { CheckedParams } from '../message/read-params.ts';
import type { RequestSchemas } from '../schema/request-schemas.ts';
export interface Dialect {
    readonly provider: string;
    readonly optionNames?: readonly string[] | undefined;
    readonly ids: IdentifierRule;
    readonly names: IdentifierRule;
    readonly capabilities: (model: string) => ModelCapabilities;
    lower(params: CheckedParams, context: LowerContext): LoweredRequest;
    reader(): AnswerReader;
    readonly failureRules?: readonly FailureRule[] | undefined;
    readonly lowerCount?: ((params: CheckedParams, context: LowerContext) => LoweredRequest) | undefined;
    readonly readCount?: ((body: unknown) => unknown) | undefined;
    readonly embeddings?: EmbeddingsDialect | undefined;
    readonly batches?: BatchDialect | undefined;
    readonly background?: BackgroundDialect | undefined;
}
export interface BackgroundDialect {
    takes(request: LoweredRequest): boolean;
    pending(body: unknown): {
        readonly id: string;
        readonly createdAt?: number | undefined;
        readonly unknown?: string | undefined;
    } | undefined;
    path(id: string): string;
}
export interface BatchItem {
    readonly id: string;
    readonly request: LoweredRequest;
}
export type BatchResult = {
    readonly body: unknown;
} | {
    readonly refusal: object;
    readonly status: number;
} | {
    readonly error: Error;
};
export interface BatchRequest {
    readonly method: 'GET' | 'POST';
    readonly path: string;
    readonly body?: string | undefined;
    readonly type?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly onLine?: ((line: string) => boolean) | undefined;
}
export type AskBatch = (request: BatchRequest) => Promise<string>;
export interface BatchDialect {
    readonly maxRequests: number;
    readonly priceFactor: number;
    submit(items: readonly BatchItem[], key: string, ask: AskBatch): Promise<string>;
    find(key: string, ask: AskBatch): Promise<string | null | undefined>;
    hasEnded(id: string, ask: AskBatch): Promise<boolean>;
    results(id: string, ids: readonly string[], ask: AskBatch): Promise<ReadonlyMap<string, BatchResult>>;
    cancel(id: string, ask: AskBatch): Promise<void>;
}
export interface EmbeddingsDialect {
    readonly limits: NonNullable<ModelClient['embedLimits']>;
    lower(given: Readonly<Record<string, unknown>>, context: Pick<LowerContext, 'model' | 'warn'>): LoweredRequest;
    read(body: unknown, model: string): EmbedAnswer;
}
export interface LowerContext {
    readonly model: string;
    readonly names: NameMap;
    readonly abilities?: readonly ModelAbility[] | undefined;
    readonly schemas: RequestSchemas;
    readonly warn: (topic: string, text: string) => void;
}
export interface LoweredRequest {
    readonly model: string;
    readonly body: Readonly<Record<string, unknown>>;
    readonly headers?: Readonly<Record<string, string | null>> | undefined;
    readonly operation?: 'answer' | 'countTokens' | 'embed' | undefined;
    readonly reader?: (() => AnswerReader) | undefined;
    readonly learn?: ((refusal: XError) => boolean) | undefined;
}
export interface Wire {
    complete(request: LoweredRequest, call: WireCall): Promise<unknown>;
    stream(request: LoweredRequest, call: WireCall): Promise<AsyncIterable<readonly unknown[]>>;
    exchange?(request: BatchRequest, call: WireCall): Promise<string>;
    refusalOf?(error: unknown): HttpRefusal | undefined;
    readonly secrets: ReadonlySet<string>;
    readonly url: string;
}
export interface WireCall {
    readonly signal: AbortSignal;
    readonly begin?: (() => void) | undefined;
    readonly initFor?: ((init: RequestInit) => RequestInit) | undefined;
    readonly onHeaders?: ((headers: Pick<Headers, 'forEach'>) => void) | undefined;
}
export interface AnswerReader {
    push(frame: unknown, answer: AnswerBuilder): boolean;
    whole?(body: unknown, answer: AnswerBuilder): void;
}
