export type { GoogleConfig } from './config.ts';
export { createGoogle, google } from './google.ts';
export { googleCatalogue } from './catalogue.ts';
export { loadCatalogue } from '@x/provider-kit';
