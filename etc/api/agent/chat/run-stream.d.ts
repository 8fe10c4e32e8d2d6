import type { EventStream, SteeringSource } from '@x/interfaces';
import { type Steerable } from '../run/steering.ts';
export interface RunStream<T> extends EventStream<T>, Steerable {
    readonly textStream: ReadableStream<string> & AsyncIterable<string>;
    toTextResponse(init?: ResponseInit): Promise<Response>;
}
export declare function runStreamOf<T>(stream: EventStream<T>, agent: string, steering: SteeringSource): RunStream<T>;
