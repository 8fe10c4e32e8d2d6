import type { CatalogueData } from '@x/provider-kit'
import data from './catalogue.json' with { type: 'json' }

/** Limits, prices and abilities of Google's models, with the day they were looked up. */
export const googleCatalogue: CatalogueData = data
