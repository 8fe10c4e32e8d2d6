import type { ConfigEntry, Provider } from '@x/interfaces';
import { type ScriptedClientOptions } from './scripted-client.ts';
import { type Replies, type ScriptedCall } from './script.ts';
export interface ScriptedProviderOptions extends ScriptedClientOptions {
    readonly apiTypes?: readonly string[] | undefined;
}
export type RepliesByModel = Readonly<Record<string, Replies>>;
export interface ScriptedProvider extends Provider {
    readonly calls: readonly ScriptedCall[];
    readonly configs: readonly ConfigEntry[];
    assertComplete(): void;
}
export declare function scriptedProvider(script: Replies | RepliesByModel, options?: ScriptedProviderOptions): ScriptedProvider;
