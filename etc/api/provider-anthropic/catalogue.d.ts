import type { CatalogueData } from '@x/provider-kit';
export declare const anthropicCatalogue: CatalogueData;
