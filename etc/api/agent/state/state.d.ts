import type { Agent, CacheStore, ChatMessage, ChatResult, CodeExecutionConfig, CodeToVet, Hooks, HumanInputMode, Io, LlmConfig, Logger, MaybePromise, Model, Reply, TerminationReason, Tool, ToolCallToVet, ToolContext, ToolResponse, Vet } from '@x/interfaces';
import type { ChatUnderWay } from '../chat/chat-cache.ts';
import type { ConversableAgent } from '../conversable-agent.ts';
import type { ConversableAgentOptions } from '../options.ts';
import type { Place } from '../reply/reply-list.ts';
import { type SavedConversation } from '../resume/saved-conversation.ts';
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
    chats: readonly ChatUnderWay[] | null;
    saidLast: boolean;
    answered: ToolResponse[] | null;
}
export interface MappedFunction {
    (args: never, context: ToolContext): MaybePromise<unknown>;
    readonly needsApproval?: Tool['needsApproval'];
}
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
    replies: readonly Place[];
    hooks: {
        readonly [N in keyof Hooks]: readonly Hooks[N][];
    };
    functionMap: Map<string, MappedFunction> | null;
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
    unbound: Map<string | null, SavedConversation> | null;
    readonly createAgent: (options: ConversableAgentOptions) => ConversableAgent;
    runExecutor: ConversableAgent | null;
    readonly onFirstConversation: (agent: ConversableAgent) => void;
}
export declare const stateOf: (agent: ConversableAgent) => State;
export declare function conversationWith(state: State, counterpart: Agent | null): Conversation;
export declare const isSilent: (state: State, silent: boolean | null | undefined) => boolean;
