export { anthropicVertex, createAnthropicVertex, type AnthropicVertexConfig } from './vertex.ts';
