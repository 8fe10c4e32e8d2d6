import type { Agent, CacheStore, ChatMessage, ChatResult, CodeExecutionConfig, CodeToVet, EventBody, HistoryView, Hooks, HumanInputMode, Io, JsonSchema, LlmConfig, Logger, Model, Reply, ReplyFunction, ReplyFunctionRecord, TerminationReason, Tool, ToolCallToVet, ToolResponse, ToolSchema, Vet } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ManagerRole, MappedFunction, StepsReply } from '../options/operations.ts';
export declare class Side {
    #private;
    readonly state: State;
    readonly peer: Side;
    constructor(state: State, peer: State | Side, chat: Chat | null);
    get conversation(): Conversation;
}
export declare class Chat<S = unknown> {
    #private;
    readonly self: Side;
    readonly around: Chat | null;
    readonly depth: number;
    scope: S;
    hasJournal: boolean;
    cache: CacheStore | null;
    watch: AnswerWatch | null;
    own: readonly [self: Conversation, peer: Conversation] | null;
    opening: number;
    end: TerminationReason | null;
    constructor(self: State, peer: State, around: Chat | null);
    keepApart({ ofSelf, ofPeer }?: EarlierMessages): void;
    noteTold({ conversation }: Side): void;
    get isTold(): boolean;
    conversationOf(state: State, counterpart: Agent | null): Conversation | undefined;
}
export interface EarlierMessages {
    readonly ofSelf: readonly ChatMessage[];
    readonly ofPeer: readonly ChatMessage[];
}
export interface AnswerWatch {
    readonly agent: Agent;
    readonly user: Agent;
    readonly answerSchema: JsonSchema | undefined;
    readonly tools: readonly ToolSchema[];
    readonly endsByItself: boolean;
    readonly isLast: ((messages: readonly ChatMessage[]) => Steps<boolean>) | null;
    readonly replyByDefault: (reply: Reply) => Reply | null;
}
export interface Conversation {
    readonly counterpart: Agent | null;
    messages: ChatMessage[];
    autoReplies: number;
    maxAutoReplies: number;
    replyAtReceive: boolean;
    begun: boolean;
    humanInput: readonly string[];
    ended: TerminationReason | null;
    seen: {
        readonly of: readonly ChatMessage[];
        count: number;
        readonly list: ChatMessage[];
    } | null;
    chats: readonly Chat[] | null;
    saidLast: boolean;
    answered: ToolResponse[] | null;
    savedHistory?: unknown;
}
export interface Settings {
    readonly description: string;
    readonly defaultAutoReply: Reply;
    readonly createAgent: (options: {
        readonly name: string;
    } & Readonly<Record<string, unknown>>) => Agent;
    readonly onFirstConversation: (agent: Agent) => void;
}
export interface State {
    readonly agent: Agent;
    readonly name: string;
    readonly settings: Settings;
    readonly io: Io;
    readonly logger: Logger | null;
    systemMessage: ChatMessage;
    isTerminationMsg: (message: ChatMessage, sender: Agent | null) => boolean;
    readonly conversations: Conversations<Conversation>;
    maxConsecutiveAutoReply: number;
    limitsAutoReplies: boolean;
    humanInputMode: HumanInputMode;
    silent?: boolean | null;
    replies: readonly ReplySlot[];
    hooks: {
        readonly [N in keyof Hooks]: readonly Hooks[N][];
    };
    functionMap?: Map<string, MappedFunction>;
    tools: readonly Tool[];
    warnedFunctions?: ReadonlySet<string>;
    ownTools?: Map<string, MappedFunction>;
    llmConfig: LlmConfig | false;
    model: Model | null;
    history?: HistoryView;
    clientCache?: CacheStore | null;
    codeExecution?: CodeExecutionConfig;
    beforeToolCall?: Vet<ToolCallToVet>;
    beforeCodeExecution?: Vet<CodeToVet>;
    dockerImage?: string | undefined;
    humanInput: readonly string[];
    finishedChats?: readonly ChatResult[] | ReadonlyMap<number, ChatResult>;
    context?: Map<string, unknown>;
    unbound?: Map<string | null, Conversation>;
    readonly now: () => number;
    runExecutor?: Agent;
    isChecked?: boolean;
    warnedOfForgottenRun?: boolean;
    managerRole?: ManagerRole;
}
export declare const stateOf: (agent: Agent) => State;
export declare const conversationOf: (state: State, counterpart: Agent | null) => Conversation | undefined;
export declare function openConversation(state: State, counterpart: Agent | null, chat?: Chat | null): Conversation;
export declare const EMPTY_LIST: readonly never[];
export declare const openContext: (state: State) => Map<string, unknown>;
export declare const newConversation: ({ maxConsecutiveAutoReply }: Pick<State, 'maxConsecutiveAutoReply'>) => Conversation;
export declare const isSilent: (state: State, silent: boolean | null | undefined) => boolean;
export declare function report({ io, now }: Pick<State, 'io' | 'now'>, event: EventBody): void;
export declare const isMuted: ({ silent, io }: Pick<State, 'silent' | 'io'>) => boolean;
export declare function warn(state: State, text: string, topic?: string): void;
export declare class Conversations<C extends {
    readonly counterpart: Agent | null;
}> {
    #private;
    get size(): number;
    get(counterpart: Agent | null): C | undefined;
    add(conversation: C): void;
    delete(counterpart: Agent | null): void;
    clear(): void;
    values(): Iterable<C>;
}
export type AnyReply = ReplyFunction<never, never> | StepsReply;
export interface ReplyEntry extends ReplyFunctionRecord {
    readonly replyFunc: AnyReply;
    readonly async: boolean;
    readonly matches: (sender: Agent | null) => boolean;
}
export type ReplySlot = ReplyEntry | null;
export declare function sharesEqual<T extends object>(): (value: T) => T;
export declare function appendMessage(conversation: Conversation, message: ChatMessage): void;
export declare function addMessage(conversation: Conversation, message: ChatMessage, isOwn: boolean): void;
export declare const snapshotOf: ({ messages }: Conversation) => ChatMessage[];
export declare function lastMessage(state: State, agent: Agent | undefined): ChatMessage | null;
export declare function clearHistory(state: State, recipient: Agent | null, preserved: number): EventBody | undefined;
export declare function forgetCounterparts({ conversations, maxConsecutiveAutoReply }: State): void;
export declare function addChat(conversation: Conversation, chat: Chat): void;
export declare function removeChat(conversation: Conversation, chat: Chat): void;
export declare function cacheFor(around: Chat | null, state: State, { chats }: Conversation): CacheStore | null;
