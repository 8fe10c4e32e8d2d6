export { anthropic, createAnthropic } from './anthropic.ts';
export type { AnthropicConfig } from './config.ts';
export { anthropicCatalogue } from './catalogue.ts';
export { loadCatalogue } from '@x/provider-kit';
