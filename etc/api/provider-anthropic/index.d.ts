export { anthropic, createAnthropic, type AnthropicOptions } from './anthropic.ts';
export type { ModelFamily } from './family.ts';
export { anthropicPrices } from './prices.ts';
