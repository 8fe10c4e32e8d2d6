export type { OpenAIConfig } from './config.ts'
export { createOpenAI, openai, type OpenAIOptions } from './openai.ts'
export { openaiPrices } from './prices.ts'
