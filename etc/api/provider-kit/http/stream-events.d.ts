export interface StreamEvent {
    readonly event: string;
    readonly data: string;
}
export interface EventReader {
    push(chunk: Uint8Array): StreamEvent[];
    end(): StreamEvent[];
}
export declare function createSseReader(): EventReader;
export declare const createJsonLineReader: () => EventReader;
