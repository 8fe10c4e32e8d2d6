export type { ModelFamily } from './family.ts';
export { createGoogle, google, type GoogleOptions, type GoogleSdk } from './google.ts';
export { googlePrices } from './prices.ts';
