import type { ModelLimits, TokenRates } from '@x/interfaces';
import type { SchemaTableName } from '../schema/schema-rules.ts';
export type ModelAbility = (typeof ABILITIES)[number];
export declare const ABILITIES: readonly ['tools', 'images', 'audio', 'reasoning', 'schema'];
export interface ModelRules {
    readonly thinking?: 'none' | 'budget' | 'effort' | undefined;
    readonly efforts?: readonly string[] | undefined;
    readonly budget?: readonly [least: number, most: number] | undefined;
    readonly thinkingOff?: 'disabled' | 'disabled-to-high' | 'between_tools' | 'never' | undefined;
    readonly sampling?: 'both' | 'one' | 'without-thinking' | 'no-temperature' | 'none' | undefined;
    readonly penalties?: boolean | undefined;
    readonly stop?: boolean | undefined;
    readonly forcedTools?: 'always' | 'without-thinking' | 'never' | undefined;
    readonly api?: 'any' | 'chat' | 'responses' | 'responses-for-tools' | 'responses-for-effort' | undefined;
    readonly schema?: SchemaTableName | 'none' | undefined;
    readonly tiers?: readonly string[] | undefined;
    readonly systemRole?: 'system' | 'developer' | 'user' | undefined;
    readonly system?: boolean | undefined;
    readonly prefill?: boolean | undefined;
    readonly signed?: boolean | undefined;
    readonly jsonWithTools?: boolean | undefined;
    readonly mediaResults?: boolean | undefined;
    readonly images?: boolean | undefined;
}
export interface ModelFacts extends ModelLimits, ModelRules {
    readonly price?: ModelPrice | undefined;
    readonly abilities?: readonly ModelAbility[] | undefined;
    readonly source?: number | string | undefined;
}
export interface CatalogueData {
    readonly date: string;
    readonly sources?: readonly string[] | undefined;
    readonly models: Readonly<Record<string, ModelFacts | string>>;
}
interface PackedCatalogue extends Pick<CatalogueData, 'date' | 'sources'> {
    readonly rows: string;
}
export declare function unpackCatalogue({ date, sources, rows }: PackedCatalogue): CatalogueData;
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
export {};
