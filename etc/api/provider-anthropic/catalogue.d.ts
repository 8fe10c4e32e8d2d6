import { type CatalogueData, type Catalogue } from '@x/provider-kit';
import type { ModelAnswer } from '@x/interfaces';
export declare const anthropicCatalogue: CatalogueData;
export declare function costOfAnswer({ model, usage }: ModelAnswer, catalogue: Catalogue): number | null;
