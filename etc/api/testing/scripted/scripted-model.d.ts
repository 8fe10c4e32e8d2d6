import type { ConfigEntry, LlmConfig } from '@x/interfaces';
import { type ScriptedCall, type ScriptOptions } from './script.ts';
import type { ReplyFunctionOf, ScriptedReply } from './scripted-reply.ts';
type ConfigFilter = Parameters<LlmConfig['where']>[0];
export interface FakeModelConfig extends ScriptOptions {
    readonly model?: string | undefined;
    readonly config?: ConfigEntry | undefined;
}
export interface FunctionModel extends LlmConfig {
    readonly calls: readonly ScriptedCall[];
    with(changes: ConfigEntry): this;
    where(filter: ConfigFilter): this;
}
export interface ScriptedModel extends FunctionModel {
    assertComplete(): void;
}
export declare function scriptedModel(replies: readonly ScriptedReply[], options?: FakeModelConfig): ScriptedModel;
export declare function functionModel(reply: ReplyFunctionOf<ScriptedCall>, options?: Omit<FakeModelConfig, 'repeatLast'>): FunctionModel;
export {};
