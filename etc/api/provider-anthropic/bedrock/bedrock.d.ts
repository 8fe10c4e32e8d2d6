import type { MaybePromise } from '@x/interfaces';
import { type withModelRefs } from '@x/provider-kit';
import type { AnthropicEntry } from '../config.ts';
import { type AnthropicOptions } from '../platform.ts';
import { type AwsCredentials } from './sign-aws.ts';
export interface AnthropicBedrockConfig extends AnthropicEntry {
    apiType?: 'anthropic-bedrock' | undefined;
    region?: string | undefined;
    credentials?: AwsCredentials | (() => MaybePromise<AwsCredentials>) | undefined;
}
type AnthropicBedrockProvider = ReturnType<typeof withModelRefs<AnthropicBedrockConfig>>;
export declare function createAnthropicBedrock(options?: AnthropicOptions): AnthropicBedrockProvider;
export declare const anthropicBedrock: AnthropicBedrockProvider;
export {};
