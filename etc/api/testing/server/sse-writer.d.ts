export interface SseOptions {
    readonly event?: string | undefined;
    readonly eol?: '\n' | '\r\n' | '\r' | undefined;
}
export declare function sseFrame(data: unknown, { event, eol }?: SseOptions): string;
export type Splits = number | readonly number[];
export declare function splitBytes(texts: readonly string[], splits: Splits): Uint8Array[];
