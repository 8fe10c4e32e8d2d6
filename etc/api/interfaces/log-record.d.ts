export interface NewWrapperRecord {
    record: 'newWrapper';
    wrapperId: number;
    args: Record<string, unknown>;
}
export interface ChatCompletionRecord {
    record: 'chatCompletion';
    invocationId: string;
    clientId: number;
    wrapperId: number;
    agent: string | null;
    request: Record<string, unknown>;
    response: unknown;
    isCached: 0 | 1;
    cost: number;
    startTime: number;
    traceparent?: string;
}
export interface CacheSeedRecord {
    record: 'cacheSeedValue';
    wrapperId: number;
    clientId: number;
    cache: string | number | null;
}
export interface ReplyFuncRecord {
    record: 'replyFuncExecuted';
    source: string;
    replyFuncModule: string;
    replyFuncName: string;
    final: boolean;
    reply: unknown;
    traceparent?: string;
}
export type LogRecord = NewWrapperRecord | ChatCompletionRecord | CacheSeedRecord | ReplyFuncRecord;
export interface Logger {
    log(record: LogRecord): void;
}
