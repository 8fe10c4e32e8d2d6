export type { OpenAIConfig } from './config.ts'
export { createOpenAI, openai, type OpenAIOptions } from './openai.ts'
export { openaiCatalogue } from './catalogue.ts'
export { loadCatalogue } from '@x/provider-kit'
