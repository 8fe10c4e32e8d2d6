export type { OpenAIConfig } from './config.ts'
export { createOpenAI, openai } from './openai.ts'
export { openaiCatalogue } from './catalogue.ts'
export { loadCatalogue } from '@x/provider-kit'
