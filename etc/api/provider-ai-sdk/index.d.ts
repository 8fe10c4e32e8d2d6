export { aiSdk, createAiSdk, type AiSdkConfig } from './ai-sdk.ts';
