import type { ClientBatches, ModelAnswer, ModelCallOptions, ModelParams } from '@x/interfaces';
import type { XError } from '@x/kernel';
import { RefusalError } from '../failure/convert-error.ts';
import type { AskBatch, BatchDialect, LoweredRequest } from './dialect.ts';
interface BatchClient<P extends {
    readonly request: LoweredRequest;
}> {
    readonly prepare: (params: ModelParams, options: ModelCallOptions) => P;
    readonly askWith: (options: ModelCallOptions) => AskBatch;
    readonly read: (prepared: P, body: unknown) => ModelAnswer;
    readonly failureOf: (refusal: RefusalError, options: ModelCallOptions) => Error;
}
export declare function createBatches<P extends {
    readonly request: LoweredRequest;
}>(dialect: BatchDialect, client: BatchClient<P>): ClientBatches;
export declare function batchRecords(ask: AskBatch, path: string, read: (id: string, record: Readonly<Record<string, unknown>>) => boolean): Promise<void>;
export declare function batchRecord(text: string): Readonly<Record<string, unknown>>;
export declare function batchId(text: string, name: string): string;
export declare const expiredInBatch: () => XError;
export declare const cancelledInBatch: () => XError;
export {};
