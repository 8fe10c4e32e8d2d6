import type { ModelLimits, TokenRates } from '@x/interfaces';
export type ModelAbility = (typeof ABILITIES)[number];
export declare const ABILITIES: readonly ['tools', 'images', 'audio', 'reasoning', 'schema'];
export interface ModelFacts extends ModelLimits {
    readonly price?: ModelPrice | undefined;
    readonly abilities?: readonly ModelAbility[] | undefined;
}
export interface CatalogueData {
    readonly date: string;
    readonly models: Readonly<Record<string, ModelFacts | string>>;
}
export interface ModelPrice extends TokenRates {
    readonly long?: (Partial<TokenRates> & {
        readonly above: number;
    }) | undefined;
    readonly tiers?: Readonly<Record<string, number | TierRates>> | undefined;
}
export interface TierRates extends Partial<TokenRates> {
    readonly long?: (Partial<TokenRates> & {
        readonly above: number;
    }) | undefined;
}
export declare function parseFacts(text: string): ModelFacts | undefined;
