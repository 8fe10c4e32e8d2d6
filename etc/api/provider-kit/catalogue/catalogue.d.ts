import type { CatalogueData, ModelFacts } from './model-facts.ts';
export interface Catalogue {
    factsOf(model: string): ModelFacts;
}
export declare function createCatalogue(...layers: readonly CatalogueData[]): Catalogue;
