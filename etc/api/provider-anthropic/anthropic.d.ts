import type { withModelRefs } from '@x/provider-kit';
import { type AnthropicConfig } from './config.ts';
import { type AnthropicOptions } from './platform.ts';
type AnthropicProvider = ReturnType<typeof withModelRefs<AnthropicConfig>>;
export declare function createAnthropic(options?: AnthropicOptions): AnthropicProvider;
export declare const anthropic: AnthropicProvider;
export {};
