import type { CacheStore, ConfigEntry, Io, LlmConfig, Logger, ModelRef, Provider } from '@x/interfaces';
import type { ModelRuntime } from '../call/wrapper-parts.ts';
export interface LlmConfigOptions extends ConfigEntry {
    providers?: readonly Provider[] | undefined;
    configList?: readonly (ConfigEntry | ModelRef)[] | undefined;
    defaultCache?: ((seed: number) => CacheStore) | undefined;
    io?: Io | undefined;
    logger?: Logger | undefined;
    runtime?: Partial<ModelRuntime> | undefined;
}
export declare function llmConfig(models: LlmConfigOptions | ModelRef | readonly ModelRef[]): LlmConfig;
