/** For packages that count what usage costs. */
export { costByRates, finite, RATE_NAMES } from './cost-by-rates.ts'
