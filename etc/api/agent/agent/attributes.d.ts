import type { Agent, CacheStore, ChatMessage, CodeExecutor, HookName, Hooks, HumanInputMode, LlmConfig, ReplyFunctionRecord, Tool } from '@x/interfaces';
import { AgentOperations } from './operations.ts';
import type { MappedFunction } from '../options/operations.ts';
export declare abstract class AgentAttributes extends AgentOperations implements Agent {
    get name(): string;
    get description(): string;
    get systemMessage(): string;
    get llmConfig(): LlmConfig | false;
    get humanInputMode(): HumanInputMode;
    set humanInputMode(mode: HumanInputMode);
    get silent(): boolean | null;
    set silent(silent: boolean | null);
    get clientCache(): CacheStore | null;
    set clientCache(cache: CacheStore | null);
    get replyAtReceive(): ReadonlyMap<Agent | null, boolean>;
    get chatMessages(): ReadonlyMap<Agent | null, readonly ChatMessage[]>;
    get hookLists(): {
        readonly [N in HookName]: readonly Hooks[N][];
    };
    get codeExecutor(): CodeExecutor | null;
    get useDocker(): boolean | string | null;
    get tools(): Tool[];
    get functionMap(): Record<string, MappedFunction>;
    get humanInput(): readonly string[];
    get replyFuncList(): readonly ReplyFunctionRecord[];
    updateSystemMessage(systemMessage: string): void;
    getContext(key: string, fallback?: unknown): unknown;
    setContext(key: string, value: unknown): void;
    updateContext(contextVariables: Readonly<Record<string, unknown>>): void;
    popContext(key: string, fallback?: unknown): unknown;
}
