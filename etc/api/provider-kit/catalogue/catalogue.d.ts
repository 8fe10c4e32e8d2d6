import { type CatalogueData, type ModelFacts, type ModelRules } from './model-facts.ts';
export interface Catalogue {
    factsOf(model: string): ModelFacts;
    rulesOf(model: string): ModelRules;
}
export declare function createCatalogue(...layers: readonly CatalogueData[]): Catalogue;
export declare function fitsFamily(family: string, name: string): boolean;
export declare function isNameSuffix(rest: string): boolean;
export declare function resolveName(names: ReadonlySet<string>, model: string): string | undefined;
export declare const normalizeVersions: (name: string) => string;
