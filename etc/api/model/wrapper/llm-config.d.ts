import type { CacheStore, ConfigEntry, Io, LlmConfig, Logger, Model, ModelRef, Provider } from '@x/interfaces';
import type { ModelRuntime } from '../call/wrapper-parts.ts';
export interface LlmConfigOptions extends ConfigEntry {
    providers?: readonly Provider[] | undefined;
    configList?: readonly (ConfigEntry | ModelRef)[] | undefined;
    defaultCache?: ((seed: number) => CacheStore) | undefined;
    io?: Io | undefined;
    logger?: Logger | undefined;
    runtime?: Partial<ModelRuntime> | undefined;
}
type CompleteModel = Model & Required<Pick<Model, 'countTokens' | 'countTokensSync' | 'countTokensStream' | 'embed' | 'embedSync' | 'embedStream' | 'limitsOf'>>;
interface ModelConfig extends LlmConfig {
    with(changes: ConfigEntry): ModelConfig;
    where(filter: Parameters<LlmConfig['where']>[0]): ModelConfig;
    createModel(options?: Parameters<LlmConfig['createModel']>[0]): CompleteModel;
}
export declare function llmConfig(models: LlmConfigOptions | ModelRef | readonly ModelRef[]): ModelConfig;
export {};
