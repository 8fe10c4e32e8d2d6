export { anthropic, createAnthropic, type AnthropicOptions } from './anthropic.ts'
export type { AnthropicConfig } from './config.ts'
export { anthropicPrices } from './prices.ts'
