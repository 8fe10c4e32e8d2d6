import type { ConfigEntry, ModelAnswer, ModelCallOptions, ModelCapabilities, ModelClient, ModelEvent, ModelParams } from '@x/interfaces';
import { Script, type Replies, type ScriptedCall, type ScriptOptions } from './script.ts';
export interface ScriptedClientOptions extends ScriptOptions {
    readonly capabilities?: ModelCapabilities | undefined;
}
export interface ScriptedClient extends ModelClient {
    readonly calls: readonly ScriptedCall[];
    stream(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer>;
    assertComplete(): void;
}
export declare function scriptedClient(replies: Replies, options?: ScriptedClientOptions): ScriptedClient;
export declare function clientOf(script: Script, config: Readonly<ConfigEntry>, { cost: usualCost, capabilities }: ScriptedClientOptions): ScriptedClient;
