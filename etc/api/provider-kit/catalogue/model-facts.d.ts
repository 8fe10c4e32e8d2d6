import type { ModelLimits } from '@x/interfaces';
import type { ModelPrice } from './model-price.ts';
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
