import { type withModelRefs } from '@x/provider-kit';
import type { AnthropicEntry } from '../config.ts';
import { type AnthropicOptions } from '../platform.ts';
interface VertexKeys {
    project?: string | undefined;
    location?: string | undefined;
}
export interface AnthropicVertexConfig extends AnthropicEntry, VertexKeys {
    apiType?: 'anthropic-vertex' | undefined;
}
type AnthropicVertexProvider = ReturnType<typeof withModelRefs<AnthropicVertexConfig>>;
export declare function createAnthropicVertex(options?: AnthropicOptions): AnthropicVertexProvider;
export declare const anthropicVertex: AnthropicVertexProvider;
export {};
