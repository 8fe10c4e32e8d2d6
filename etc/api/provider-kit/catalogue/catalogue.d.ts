import { type CatalogueData, type ModelFacts } from './model-facts.ts';
export interface Catalogue {
    factsOf(model: string): ModelFacts;
}
export declare function createCatalogue(...layers: readonly CatalogueData[]): Catalogue;
export declare function isNameSuffix(rest: string): boolean;
export declare function resolveName(names: ReadonlySet<string>, model: string): string | undefined;
export declare const normalizeVersions: (name: string) => string;
