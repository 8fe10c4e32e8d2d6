import type { Catalogue, LowerContext } from '@x/provider-kit';
type SchemaTableName = Extract<Parameters<LowerContext['schemas']['answer']>[1], string>;
export interface AnthropicModelFamily {
    readonly known: boolean;
    readonly maxTokens: number;
    readonly thinking: 'none' | 'budget' | 'adaptive';
    readonly leastBudget: number;
    readonly mostBudget: number;
    readonly thinkingOff: 'disabled' | 'disabled-to-high' | 'between_tools' | 'never';
    readonly efforts: readonly string[];
    readonly forcedTools: 'always' | 'without-thinking' | 'never';
    readonly sampling: 'both' | 'one' | 'none';
    readonly prefill: boolean;
    readonly structured: boolean;
    readonly schema: SchemaTableName;
    readonly images: boolean;
    readonly contextWindow: number;
}
export type FamilyOf = (model: string) => AnthropicModelFamily;
export declare function createFamilies(catalogue: Catalogue, configured?: Partial<AnthropicModelFamily>): FamilyOf;
export {};
