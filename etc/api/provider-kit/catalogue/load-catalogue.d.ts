import { type CatalogueData } from './model-facts.ts';
export interface LoadCatalogueOptions {
    readonly fetch?: typeof globalThis.fetch | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly timeout?: number | undefined;
}
export declare function loadCatalogue(source: string | URL | object, options?: LoadCatalogueOptions): Promise<CatalogueData>;
