import type { BackendContext, BackendFactory } from './backend-factory.ts';
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
