export { anthropicBedrock, createAnthropicBedrock, type AnthropicBedrockConfig } from './bedrock.ts';
