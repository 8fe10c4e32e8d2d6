import type { ChatMessage } from './message.ts';
import type { FunctionSchema, ToolSchema } from './tool.ts';
export interface RequestParams {
    model?: string | undefined;
    messages?: readonly ChatMessage[] | undefined;
    temperature?: number | null | undefined;
    top_p?: number | null | undefined;
    top_k?: number | null | undefined;
    max_tokens?: number | null | undefined;
    max_completion_tokens?: number | null | undefined;
    stop?: string | readonly string[] | null | undefined;
    seed?: number | null | undefined;
    n?: number | null | undefined;
    presence_penalty?: number | null | undefined;
    frequency_penalty?: number | null | undefined;
    logit_bias?: Readonly<Record<string, number>> | null | undefined;
    logprobs?: boolean | number | null | undefined;
    top_logprobs?: number | null | undefined;
    tools?: readonly (ToolSchema | {
        readonly type: string;
        readonly [key: string]: unknown;
    })[] | undefined;
    tool_choice?: 'auto' | 'none' | 'required' | {
        readonly type: 'function';
        readonly function: {
            readonly name: string;
        };
    } | (string & {}) | {
        readonly [key: string]: unknown;
    } | null | undefined;
    parallel_tool_calls?: boolean | null | undefined;
    functions?: readonly FunctionSchema[] | null | undefined;
    function_call?: 'auto' | 'none' | (string & {}) | {
        readonly name: string;
    } | null | undefined;
    response_format?: object | null | undefined;
    reasoning_effort?: 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | (string & {}) | null | undefined;
    verbosity?: 'low' | 'medium' | 'high' | (string & {}) | null | undefined;
    service_tier?: string | null | undefined;
    user?: string | null | undefined;
    metadata?: Readonly<Record<string, unknown>> | null | undefined;
}
export interface RequestExtras {
    extra_body?: Readonly<Record<string, unknown>> | null | undefined;
    extra_headers?: Readonly<Record<string, string | null>> | null | undefined;
    includeRaw?: boolean | null | undefined;
    providerOptions?: {
        readonly [provider: string]: Readonly<Record<string, unknown>> | undefined;
    } | null | undefined;
}
