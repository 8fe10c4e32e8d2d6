import type { Agent, ChatMessage, ChatResult, FunctionSchema, HookName, Hooks, HumanInputMode, ModelClientClass, RegisterReplyOptions, ReplyFunction, Tool, ToolSchema, Trigger, UsageMode, UsageSummary } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import { type AgentState, DEFAULT_SUMMARY_PROMPT, type MappedFunction, type NestedChat, type RegisterNestedChatsOptions, type StepsReply } from '../options/operations.ts';
import { AgentAttributes } from './attributes.ts';
import { type ConversableAgentOptions } from './options.ts';
import { type RegisterToolOptions } from '../tool/tool.ts';
export declare class ConversableAgent extends AgentAttributes implements Agent {
    #private;
    static readonly MAX_CONSECUTIVE_AUTO_REPLY: 100;
    static readonly DEFAULT_CONFIG: false;
    static readonly DEFAULT_SUMMARY_METHOD: 'last_msg';
    static readonly DEFAULT_SUMMARY_PROMPT: typeof DEFAULT_SUMMARY_PROMPT;
    static readonly optionKinds: OptionKinds<ConversableAgentOptions>;
    readonly '~state': unknown;
    constructor(options: ConversableAgentOptions);
    registerReply<C = unknown>(trigger: Trigger, replyFunc: ReplyFunction<ConversableAgent, C> | StepsReply, options?: RegisterReplyOptions<C>): void;
    replaceReplyFunc(oldReplyFunc: object, newReplyFunc: ReplyFunction<ConversableAgent> | StepsReply): void;
    registerNestedChats(chatQueue: readonly NestedChat[], trigger: Trigger, options?: RegisterNestedChatsOptions): void;
    get runExecutor(): ConversableAgent | null;
    updateMaxConsecutiveAutoReply(value: number, sender?: Agent): void;
    maxConsecutiveAutoReply(sender?: Agent): number;
    resetConsecutiveAutoReplyCounter(sender?: Agent): void;
    stopReplyAtReceive(sender?: Agent): void;
    chatMessagesForSummary(agent: Agent): readonly ChatMessage[];
    lastMessage(agent?: Agent): ChatMessage | null;
    clearHistory(recipient?: Agent | null, options?: {
        nrMessagesToPreserve?: number | undefined;
    }): void;
    reset(): void;
    saveState(): AgentState;
    loadState(saved: unknown, options?: {
        agents?: Iterable<Agent> | undefined;
    }): void;
    getChatResults(): readonly ChatResult[] | ReadonlyMap<number, ChatResult>;
    getChatResults(chatIndex: number): ChatResult | undefined;
    registerFunction(functionMap: Readonly<Record<string, MappedFunction | null>>): void;
    canExecuteFunction(name: string | readonly string[]): boolean;
    updateFunctionSignature(signature: string | FunctionSchema, options?: {
        isRemove?: boolean;
    }): void;
    updateToolSignature(signature: string | ToolSchema, options?: {
        isRemove?: boolean;
    }): void;
    registerForLlm<T extends Tool>(definition: T, options?: RegisterToolOptions & {
        readonly apiStyle?: 'function' | 'tool' | undefined;
    }): T;
    registerForExecution<T extends Tool>(definition: T, names?: RegisterToolOptions): T;
    use(tools: Tool | readonly Tool[]): this;
    asTool(names?: RegisterToolOptions): Tool<Record<string, unknown>, Promise<string> | string>;
    removeToolForLlm(tool: Tool): void;
    registerModelClient(modelClientCls: ModelClientClass, options?: Record<string, unknown>): void;
    registerHook<N extends HookName>(hookableMethod: N, hook: Hooks[N]): void;
    printUsageSummary(mode?: UsageMode | readonly UsageMode[]): void;
    getActualUsage(): UsageSummary | null;
    getTotalUsage(): UsageSummary | null;
}
export declare class AssistantAgent extends ConversableAgent {
    static readonly DEFAULT_SYSTEM_MESSAGE: string;
    static readonly DEFAULT_DESCRIPTION: string;
    constructor(options: ConversableAgentOptions);
}
export declare class UserProxyAgent extends ConversableAgent {
    static readonly DEFAULT_USER_PROXY_AGENT_DESCRIPTIONS: Readonly<Record<HumanInputMode, string>>;
    constructor(options: ConversableAgentOptions);
}
