import { type HttpShell } from '../server/http-shell.ts';
import type { PlainReply } from './wire-format.ts';
export type BatchVendor = 'anthropic' | 'google' | 'openai';
export type BatchOutcome = PlainReply | {
    readonly status: number;
} | 'cancelled' | 'expired' | 'missing';
export interface BatchServerOptions {
    readonly vendor: BatchVendor;
    readonly outcomeOf?: ((body: Readonly<Record<string, unknown>>, index: number) => BatchOutcome) | undefined;
    readonly polls?: number | undefined;
    readonly createdAt?: number | undefined;
    readonly fault?: ((request: {
        readonly method: string;
        readonly path: string;
    }) => number | 'lost' | undefined) | undefined;
}
export interface FakeBatch {
    readonly id: string;
    readonly requests: readonly Readonly<Record<string, unknown>>[];
    readonly isCancelled: boolean;
}
export interface BatchServer extends Omit<HttpShell, 'origin'> {
    readonly url: string;
    readonly batches: readonly FakeBatch[];
}
export declare function startBatchServer(options: BatchServerOptions): Promise<BatchServer>;
