import type { AnswerDetails } from './answer-details.ts';
import type { ChatMessage } from './message.ts';
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
