export { costByRates, finite, RATE_NAMES } from './cost-by-rates.ts';
