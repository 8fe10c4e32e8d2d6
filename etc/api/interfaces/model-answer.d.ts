import type { ChatMessage } from './message.ts';
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'function_call' | 'content_filter' | (string & {});
export interface ModelChoice {
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
    reasoning_tokens?: number | undefined;
    raw?: unknown;
}
export interface ModelAnswer {
    id: string;
    model: string;
    created: number;
    choices: ModelChoice[];
    usage?: AnswerUsage | undefined;
}
