export type { GoogleConfig } from './config.ts'
export { createGoogle, google, type GoogleOptions } from './google.ts'
export { googlePrices } from './prices.ts'
