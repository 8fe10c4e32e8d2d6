import type { ConfigEntry } from './config-entry.ts';
import type { Io } from './io.ts';
import type { Logger } from './log-record.ts';
import type { Model } from './model.ts';
export interface ConfigFilter {
    model?: string | readonly string[] | undefined;
    tags?: string | readonly string[] | undefined;
}
export interface LlmConfig {
    readonly config: Readonly<ConfigEntry> & {
        readonly configList?: readonly ConfigEntry[] | undefined;
    };
    with(changes: ConfigEntry): LlmConfig;
    where(filter: ConfigFilter): LlmConfig;
    createModel(options?: {
        io?: Io | undefined;
        logger?: Logger | undefined;
        replaces?: Model | undefined;
    }): Model;
}
