import type { LimitedBackend } from '../run/job.ts';
import type { BackendContext, BackendFactory } from './backend.ts';
export declare function customBackend(factory: BackendFactory<unknown>, context: BackendContext<unknown>): LimitedBackend;
export declare function importBackend({ module, context }: ImportedSpec): Promise<LimitedBackend>;
export interface CustomSpec {
    readonly kind: 'custom';
    readonly factory: BackendFactory<unknown>;
    readonly context: BackendContext<unknown>;
}
export interface ImportedSpec {
    readonly kind: 'imported';
    readonly module: NonNullable<BackendFactory['module']>;
    readonly context: BackendContext<unknown>;
}
export declare function importedSpec({ factory: { module }, context }: CustomSpec): ImportedSpec;
