export { anthropicFormat } from './anthropic-format.ts';
export { anthropicRefusal } from './anthropic-refusal.ts';
