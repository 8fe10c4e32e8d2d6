import type { ModelAttempt } from './error.ts';
import type { ToolIssue } from './json.ts';
import type { ChatMessage } from './message.ts';
import type { UsageSummary } from './usage.ts';
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter' | (string & {});
export interface ModelChoice extends AnswerDetails {
    index: number;
    message: ChatMessage;
    finish_reason: FinishReason | null;
}
export interface AnswerUsage {
    prompt_tokens: number;
    completion_tokens: number;
    total_tokens: number;
    cached_tokens?: number | undefined;
    cache_write_tokens?: number | undefined;
    cache_write_hour_tokens?: number | undefined;
    reasoning_tokens?: number | undefined;
    audio_prompt_tokens?: number | undefined;
    audio_completion_tokens?: number | undefined;
    image_prompt_tokens?: number | undefined;
    image_completion_tokens?: number | undefined;
    cached_audio_tokens?: number | undefined;
    searches?: number | undefined;
    service_tier?: string | undefined;
    cost?: number | undefined;
    raw?: unknown;
}
export interface ModelAnswer {
    id: string;
    model: string;
    created: number;
    choices: ModelChoice[];
    usage?: AnswerUsage | undefined;
    headers?: Readonly<Record<string, string>> | undefined;
    extra?: Readonly<Record<string, unknown>> | undefined;
    raw?: unknown;
}
export interface Citation {
    start?: number | undefined;
    end?: number | undefined;
    url?: string | undefined;
    title?: string | undefined;
    file_id?: string | undefined;
    quote?: string | undefined;
    raw: object;
}
export interface AnswerSource {
    type: 'url' | 'file' | 'search' | (string & {});
    url?: string | undefined;
    title?: string | undefined;
    file_id?: string | undefined;
    text?: string | undefined;
}
export interface AnswerMedia {
    type: 'image' | 'audio' | 'video' | 'file';
    url?: string | undefined;
    media_type?: string | undefined;
    id?: string | undefined;
    transcript?: string | undefined;
    at: number;
}
export interface TokenLogprob {
    token: string;
    logprob: number;
    bytes?: readonly number[] | undefined;
    top_logprobs?: readonly TokenLogprob[] | undefined;
}
export interface FinishDetails {
    reason?: string | undefined;
    message?: string | undefined;
    stop?: string | undefined;
    safety?: unknown;
    raw?: unknown;
}
export interface AnswerDetails {
    reasoning?: string | undefined;
    citations?: readonly Citation[] | undefined;
    sources?: readonly AnswerSource[] | undefined;
    media?: readonly AnswerMedia[] | undefined;
    logprobs?: readonly TokenLogprob[] | undefined;
    finish_details?: FinishDetails | undefined;
    provider_parts?: readonly object[] | undefined;
    extra?: Readonly<Record<string, unknown>> | undefined;
}
export interface ModelResponse extends ModelAnswer {
    cost: number;
    unpriced?: true | undefined;
    configId: number;
    schemaIssues?: readonly ToolIssue[] | undefined;
    passFilter: boolean;
    cached: boolean;
    attempts?: readonly ModelAttempt[] | undefined;
    unanswered?: UsageSummary | undefined;
    messageRetrievalFunction: (answer: ModelAnswer) => string[] | ChatMessage[];
}
export type FilterFunc = (input: {
    context: Record<string, unknown> | null;
    response: ModelResponse;
}) => boolean;
