export interface AiSdkModel {
    readonly specificationVersion: 'v3' | 'v4';
    readonly provider: string;
    readonly modelId: string;
    readonly supportedUrls: object;
    doGenerate(options: never): PromiseLike<object>;
    doStream(options: never): PromiseLike<{
        readonly stream: ReadableStream;
    }>;
}
export type Part = Record<string, unknown> & {
    readonly type: string;
};
export interface PromptMessage {
    readonly role: 'system' | 'user' | 'assistant' | 'tool';
    readonly content: string | Part[];
    readonly providerOptions?: object | undefined;
}
export interface PartUsage {
    readonly inputTokens?: {
        readonly total?: unknown;
        readonly cacheRead?: unknown;
        readonly cacheWrite?: unknown;
    } | null;
    readonly outputTokens?: {
        readonly total?: unknown;
        readonly reasoning?: unknown;
    } | null;
    readonly raw?: unknown;
}
export interface GenerateResult {
    readonly content?: readonly Part[] | null;
    readonly finishReason?: unknown;
    readonly usage?: PartUsage | null | undefined;
    readonly providerMetadata?: unknown;
    readonly response?: ResponseFacts | null;
    readonly warnings?: readonly unknown[] | null;
}
export interface ResponseFacts {
    readonly id?: unknown;
    readonly modelId?: unknown;
    readonly timestamp?: unknown;
    readonly headers?: Readonly<Record<string, string>> | null;
}
