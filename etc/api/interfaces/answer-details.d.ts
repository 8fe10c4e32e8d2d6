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
