export type { GoogleConfig } from './config.ts'
export { createGoogle, google, googleCatalogue } from './google.ts'
export { loadCatalogue } from '@x/provider-kit'
