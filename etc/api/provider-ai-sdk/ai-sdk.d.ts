import type { ConfigEntry, ModelRef, Provider } from '@x/interfaces';
import { createAdapterClient, withModelRefs, type CatalogueData } from '@x/provider-kit';
import type { AiSdkModel } from './model-types.ts';
export interface AiSdkConfig extends ConfigEntry {
    apiType?: 'ai-sdk' | undefined;
    languageModel?: AiSdkModel | undefined;
}
interface AiSdkOptions extends Partial<Pick<Parameters<typeof createAdapterClient>[0], 'clock' | 'now'>> {
    catalogue?: CatalogueData | undefined;
}
type AiSdkRefOptions = Omit<NonNullable<Parameters<ReturnType<typeof withModelRefs<AiSdkConfig>>>[1]>, 'languageModel'>;
type AiSdkProvider = Provider & ((model: AiSdkModel, options?: AiSdkRefOptions) => ModelRef);
export declare function createAiSdk(options?: AiSdkOptions): AiSdkProvider;
export declare const aiSdk: AiSdkProvider;
export {};
