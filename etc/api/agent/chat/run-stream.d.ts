import type { EventStream } from '@x/interfaces';
export interface RunStream<T> extends EventStream<T> {
    readonly textStream: ReadableStream<string> & AsyncIterable<string>;
    toTextResponse(init?: ResponseInit): Promise<Response>;
}
export declare function runStreamOf<T>(stream: EventStream<T>, agent: string): RunStream<T>;
