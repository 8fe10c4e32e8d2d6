import type { CatalogueData } from '@x/provider-kit'
import data from './catalogue.json' with { type: 'json' }

/** Limits, prices and abilities of Anthropic's models, with the day they were looked up. */
export const anthropicCatalogue: CatalogueData = data
