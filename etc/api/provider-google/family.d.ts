import type { Catalogue, CatalogueData, LowerContext } from '@x/provider-kit';
type SchemaTableName = Extract<Parameters<LowerContext['schemas']['answer']>[1], string>;
export interface GoogleModelFamily {
    readonly system: boolean;
    readonly thinking: 'none' | 'budget' | 'level';
    readonly leastBudget: number;
    readonly mostBudget: number;
    readonly levels: readonly string[];
    readonly signed: boolean;
    readonly jsonWithTools: boolean;
    readonly mediaResults: boolean;
    readonly images: boolean;
    readonly sampling: 'both' | 'one' | 'without-thinking' | 'no-temperature' | 'none';
    readonly penalties: boolean;
    readonly forcedTools: 'always' | 'without-thinking' | 'never';
    readonly schema: SchemaTableName;
    readonly contextWindow: number;
    readonly maxTokens?: number | undefined;
}
export type FamilyOf = (model: string) => GoogleModelFamily;
export declare function createFamilies(catalogue: Catalogue, configured?: Partial<GoogleModelFamily>): FamilyOf;
export declare const googleFamilies: CatalogueData;
export {};
