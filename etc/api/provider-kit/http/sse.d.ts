export interface ServerSentEvent {
    readonly event: string;
    readonly data: string;
}
export interface SseReader {
    push(chunk: Uint8Array): ServerSentEvent[];
    end(): ServerSentEvent[];
}
export declare function createSseReader(): SseReader;
