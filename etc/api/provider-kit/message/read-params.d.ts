import type { ChatMessage, FunctionSchema, JsonSchema, ModelParams, RequestParams } from '@x/interfaces';
export interface RequestTool {
    readonly function?: FunctionSchema | undefined;
    readonly cache_control?: unknown;
    readonly [key: string]: unknown;
}
type SharedParams = Omit<RequestParams, 'model' | 'messages' | 'tools' | 'functions'>;
export interface CheckedParams extends Readonly<{
    [K in keyof SharedParams]?: NonNullable<SharedParams[K]>;
}> {
    readonly messages: readonly ChatMessage[];
    readonly tools: readonly RequestTool[];
    readonly functions: readonly FunctionSchema[];
    readonly json: {
        readonly schema: JsonSchema | undefined;
    } | undefined;
    readonly otherFormat: string | undefined;
    readonly others: Readonly<Record<string, unknown>>;
    readonly given: Readonly<Record<string, unknown>>;
    readonly own: Readonly<Record<string, unknown>>;
    readonly providerOptions: Readonly<Record<string, unknown>>;
}
export declare function readParams(params: ModelParams, names?: readonly string[]): CheckedParams;
export declare class ParamsReader {
    #private;
    readonly names: readonly string[];
    constructor(names: readonly string[]);
    read(params: ModelParams): CheckedParams;
}
export {};
