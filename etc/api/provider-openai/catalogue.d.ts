import { type Catalogue, type CatalogueData } from '@x/provider-kit';
import type { EndpointName } from './endpoint-profiles.ts';
export declare const openaiCatalogue: CatalogueData;
export declare function catalogueOf(endpoint: EndpointName, own: CatalogueData | undefined): Catalogue;
