import type { Agent, CacheStore, ChatMessage, ChatResult, CodeExecutionConfig, CodeToVet, Hooks, HumanInputMode, Io, LlmConfig, Logger, MaybePromise, Model, Reply, TerminationReason, Tool, ToolCallToVet, ToolContext, Vet } from '@x/interfaces';
import type { ConversableAgent } from './conversable-agent.ts';
import type { ConversableAgentOptions } from './options.ts';
import type { Place } from './reply-list.ts';
export interface Conversation {
    readonly counterpart: Agent | null;
    messages: ChatMessage[];
    autoReplies: number;
    maxAutoReplies: number;
    replyAtReceive: boolean;
    begun: boolean;
    humanInput: string[];
    ended: TerminationReason | null;
    seen: {
        readonly of: readonly ChatMessage[];
        count: number;
        readonly list: ChatMessage[];
    } | null;
    cache: CacheStore | null;
}
export type MappedFunction = (args: never, context: ToolContext) => MaybePromise<unknown>;
export interface State {
    readonly agent: ConversableAgent;
    readonly name: string;
    readonly description: string;
    readonly io: Io;
    readonly logger: Logger | null;
    systemMessage: ChatMessage;
    readonly isTerminationMsg: (message: ChatMessage) => boolean;
    readonly defaultAutoReply: Reply;
    readonly conversations: Map<Agent | null, Conversation>;
    maxConsecutiveAutoReply: number;
    humanInputMode: HumanInputMode;
    silent: boolean | null;
    readonly replies: Place[];
    readonly hooks: {
        readonly [N in keyof Hooks]: Hooks[N][];
    };
    readonly functionMap: Map<string, MappedFunction>;
    readonly tools: Tool[];
    llmConfig: LlmConfig | false;
    model: Model | null;
    clientCache: CacheStore | null;
    readonly codeExecution: CodeExecutionConfig | false;
    readonly beforeToolCall: Vet<ToolCallToVet> | null;
    readonly beforeCodeExecution: Vet<CodeToVet> | null;
    dockerImage: string | null;
    humanInput: string[];
    finishedChats: ChatResult[] | Map<number, ChatResult>;
    readonly context: Map<string, unknown>;
    readonly createAgent: (options: ConversableAgentOptions) => ConversableAgent;
    runExecutor: ConversableAgent | null;
    readonly onFirstConversation: () => void;
}
export declare const stateOf: (agent: ConversableAgent) => State;
export declare function conversationWith(state: State, counterpart: Agent | null): Conversation;
export declare const isSilent: (state: State, silent: boolean | null | undefined) => boolean;
