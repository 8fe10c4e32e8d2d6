import type { Agent, CallInput, ChatMessage, ChatOptions, ChatResult, EventBody, Io, JournalKind, JsonSchema, Logger, MaybePromise, Model, Reply, Run, RunContext, RunTracer, SharedVariables, TerminationReason, Tool, ToolCall, ToolResponse, ToolSchema } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ConversationQuestion, ManagerRole, MappedFunction, ReplyAdditions, ReplyRequest } from '../options/operations.ts';
export declare const initiateChat: <R extends ChatResult = ChatResult>(initiator: Agent, recipient: Agent, options?: ChatOptions, around?: {
    readonly before?: Steps<void> | undefined;
    readonly finish?: (result: ChatResult) => Steps<R>;
}) => Steps<R>;
export declare const generateReply: (agent: Agent, request: ReplyRequest, additions?: ReplyAdditions) => Steps<Reply | null>;
export interface AgentInternals {
    readonly io: Io;
    readonly logger: Logger | null;
    readonly now: () => number;
    readonly tracer?: RunTracer;
    readonly model: Model | null;
    readonly isTerminationMsg: (message: ChatMessage, sender: Agent | null) => boolean;
    readonly conversations: AgentConversations;
}
export interface AgentConversations {
    get(counterpart: Agent | null): AgentConversation | undefined;
    values(): Iterable<AgentConversation>;
}
export interface AgentConversation {
    readonly counterpart: Agent | null;
    readonly messages: readonly ChatMessage[];
    readonly autoReplies: number;
    readonly ended: TerminationReason | null;
}
export declare const internalsOf: (agent: Agent) => AgentInternals;
export declare const viewMessages: (agent: Agent, question: ConversationQuestion, options?: {
    readonly refused?: boolean | undefined;
}) => Steps<readonly ChatMessage[] | null>;
export declare const repeatCuts: (agent: Agent, question: ConversationQuestion) => Steps<void>;
export declare function setManagerRole(agent: Agent, role: ManagerRole): void;
export declare const leadMembers: <T>(manager: Agent, steps: Steps<T>) => Steps<T>;
export declare const append: (from: Agent, reply: Reply, to: Agent, silent?: boolean | null) => Steps<ChatMessage>;
export declare const broadcast: (from: Agent, message: ChatMessage, recipients: readonly Agent[]) => Steps<void>;
export declare const withSilence: <T>(silent: boolean | null | undefined, steps: Steps<T>) => Steps<T>;
export declare function endConversation(agent: Agent, counterpart: Agent | null, reason: TerminationReason): Steps<void>;
export declare const shortenHistory: (agent: Agent, preserved: number) => EventBody | undefined;
interface NamedQuestion {
    readonly name: string;
    readonly model: Model;
    readonly messages: readonly ChatMessage[];
    readonly answerSchema?: JsonSchema | undefined;
}
export declare const askAs: (agent: Agent, question: NamedQuestion) => Steps<Reply | null>;
interface LabelledCall {
    readonly kind: JournalKind;
    readonly label: string;
    readonly shape?: JsonSchema | undefined;
    readonly agent?: Agent | undefined;
    readonly question?: {
        readonly agent: string;
        readonly prompt: string;
    } | undefined;
    readonly asks?: (() => CallInput) | undefined;
}
export declare const externalCall: <T>({ question, ...call }: LabelledCall, ask: (context: RunContext & {
    readonly run: Run;
}) => MaybePromise<T>) => Steps<T>;
interface VariableStore {
    readonly variables: SharedVariables;
    readonly values: Map<string, unknown>;
}
export declare function withVariables<T>(owner: Agent, { variables, values }: VariableStore, steps: Steps<T>): Steps<T>;
interface CallForOptions {
    readonly mapped: MappedFunction | undefined;
    readonly recipient: string;
}
interface CallResult {
    readonly success: boolean;
    readonly content: unknown;
    readonly arguments: unknown;
}
export declare const callFor: (agent: Agent, call: ToolCall, { mapped, recipient }: CallForOptions) => Steps<CallResult>;
export declare function functionOf(agent: Agent, name: string): MappedFunction | undefined;
export declare function toolNamesOf(agent: Agent): readonly string[];
export declare function toolsInRun(agent: Agent, run: Run): readonly ToolSchema[];
export declare function forgetConversation(agent: Agent, counterpart: Agent): void;
export declare const functionOfTool: (tool: Tool) => MappedFunction;
export declare const modelsOf: (agents: readonly Agent[]) => readonly Model[];
export declare const inReplyOf: <T>(agent: Agent, steps: Steps<T>) => Steps<T>;
export declare function noteAnswers(agent: Agent, counterpart: Agent, answered: ToolResponse[] | null): Steps<void>;
export declare function isRecorded(): Steps<boolean>;
export {};
