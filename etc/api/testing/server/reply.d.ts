import type { MaybePromise, ToolCall } from '@x/interfaces';
import type { Delay } from './delivery.ts';
import type { Splits, SseOptions } from './sse-writer.ts';
export type RefusedFailure = '429' | 'quota' | '500' | '503' | '401' | '403' | '404' | '400' | 'context-overflow' | 'content-filter';
export type BrokenFailure = 'reset' | 'reset-midway' | 'hang' | 'hang-midway' | 'cut' | 'no-done' | 'malformed' | 'error-frame' | 'error-frame-midway' | 'html' | 'empty';
export type ServerFailure = RefusedFailure | BrokenFailure;
export interface Transport {
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly headersAfter?: Delay | undefined;
    readonly firstTokenAfter?: Delay | undefined;
    readonly eol?: SseOptions['eol'];
    readonly splits?: Splits | undefined;
}
export interface ServerChoice {
    readonly content?: string | null | undefined;
    readonly pieces?: readonly string[] | undefined;
    readonly reasoning_content?: string | undefined;
    readonly refusal?: string | null | undefined;
    readonly tool_calls?: readonly ToolCall[] | undefined;
    readonly items?: readonly object[] | undefined;
    readonly finish_reason?: string | undefined;
}
export interface ServerUsage {
    readonly prompt: number;
    readonly completion: number;
    readonly cached?: number | undefined;
    readonly reasoning?: number | undefined;
}
export interface AnswerContent extends ServerChoice {
    readonly choices?: readonly ServerChoice[] | undefined;
    readonly usage?: ServerUsage | null | undefined;
    readonly model?: string | undefined;
}
export interface ServerAnswer extends AnswerContent, Transport {
}
export type RetryAfter = number | {
    readonly ms: number;
} | {
    readonly date: Date | string;
};
export interface FailedAnswer extends Transport {
    readonly failure: ServerFailure;
    readonly retryAfter?: RetryAfter | undefined;
    readonly status?: number | undefined;
    readonly message?: string | undefined;
    readonly answer?: AnswerContent | undefined;
}
export type ServerReply = string | ServerAnswer | FailedAnswer;
export type ServerScript<R> = ServerReply | readonly ServerReply[] | ((request: R) => MaybePromise<ServerReply>);
