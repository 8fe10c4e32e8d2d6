import type { ConfigEntry, MaybePromise } from '@x/interfaces';
import type { HttpRefusal } from '../failure/convert-error.ts';
import { type StreamFormat } from '../http/read-response.ts';
import type { LoweredRequest, Wire } from './dialect.ts';
interface OutgoingRequest {
    readonly method: 'GET' | 'POST';
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
}
interface RequestChanges {
    readonly url?: string | undefined;
    readonly headers?: Readonly<Record<string, string | null>> | undefined;
    readonly body?: string | undefined;
}
export interface HttpWireInit {
    readonly config: ConfigEntry;
    readonly url: (request: LoweredRequest, stream: boolean) => string;
    readonly authorize: (key: string) => Record<string, string>;
    readonly environmentKey?: (() => string | undefined) | undefined;
    readonly batchUrl?: ((path: string) => string) | undefined;
    readonly sign?: ((request: OutgoingRequest, secrets: Set<string>) => MaybePromise<RequestChanges>) | undefined;
    readonly format?: StreamFormat | undefined;
    readonly streamed?: ((body: Readonly<Record<string, unknown>>) => object) | undefined;
    readonly readRefusal?: ((refusal: HttpRefusal) => HttpRefusal) | undefined;
    readonly fetch?: typeof globalThis.fetch | undefined;
}
export declare function createHttpWire(init: HttpWireInit): Wire;
export {};
