export { anthropicFormat } from './anthropic-format.ts'
