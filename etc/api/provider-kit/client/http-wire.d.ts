import type { ConfigEntry } from '@x/interfaces';
import type { LoweredRequest, Wire } from './dialect.ts';
export interface HttpWireInit {
    readonly config: ConfigEntry;
    readonly url: (request: LoweredRequest, stream: boolean) => string;
    readonly authorize: (key: string) => Record<string, string>;
    readonly environmentKey?: (() => string | undefined) | undefined;
    readonly format?: 'sse' | 'ndjson' | undefined;
    readonly streamed?: ((body: Readonly<Record<string, unknown>>) => object) | undefined;
    readonly fetch?: typeof globalThis.fetch | undefined;
}
export declare function createHttpWire(init: HttpWireInit): Wire;
