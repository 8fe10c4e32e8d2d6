import type { Agent, CacheStore, ChatMessage, CodeReader, ConfigEntry, Io, JsonSchema, LlmConfig, Logger, Model, ModelAnswer, Provider, Tool, ToolFunction } from '@x/interfaces';
export interface World {
    readonly agents: Readonly<Record<string, AgentClass>>;
    readonly tool: (definition: ToolDefinition) => Tool;
    readonly llmConfig: (options: ConfigOptions) => LlmConfig;
    readonly ModelWrapper: WrapperClass;
    readonly functions: object;
    readonly conversations: (agent: Agent) => Iterable<Conversation>;
    readonly codeReaders?: {
        readonly executor: CodeReader;
        readonly runner: CodeReader;
    } | undefined;
    readonly reasoning?: Reasoning | undefined;
}
export type AgentClass = abstract new (options: never) => Agent;
export interface ToolDefinition {
    readonly name: string;
    readonly description: string;
    readonly parameters: JsonSchema;
    readonly execute: ToolFunction<Record<string, unknown>>;
}
export interface ConfigOptions extends ConfigEntry {
    readonly configList: readonly ConfigEntry[];
    readonly providers: readonly Provider[];
    readonly defaultCache: (seed: number) => CacheStore;
}
export interface WrapperOptions extends ConfigOptions {
    readonly io: Io;
    readonly logger?: Logger | undefined;
}
export interface WrapperClass {
    new (options: WrapperOptions): Model;
    instantiate(template: unknown, context: unknown, allowFormatStrTemplate?: unknown): unknown;
    extractTextOrCompletionObject(response: ModelAnswer): string[] | ChatMessage[];
}
export interface Conversation {
    readonly counterpart: Agent | null;
    readonly messages: readonly ChatMessage[];
    readonly autoReplies: number;
}
export interface Reasoning {
    node(path: readonly string[], facts: {
        value?: number;
        ratingDetails?: string;
    }): RatedNode;
    root(agent: Agent): object | null;
}
export interface RatedNode {
    readonly ratingDetails: string;
}
