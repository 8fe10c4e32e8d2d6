import type { NestedChat } from '@x/agent';
import type { Agent, ChatMessage, MaybePromise, RunContext } from '@x/interfaces';
export interface SimpleTarget {
    readonly '~target': 'stay' | 'revertToUser' | 'askUser';
}
export interface TerminateTarget {
    readonly '~target': 'terminate';
    readonly reason?: string | undefined;
}
export interface GroupManagerOptions {
    readonly selectionMessage?: string | undefined;
    readonly candidates?: readonly (Agent | string)[] | undefined;
    readonly allowRepeatSpeaker?: boolean | undefined;
}
export interface GroupManagerTarget extends GroupManagerOptions {
    readonly '~target': 'groupManager';
}
export interface RandomAgentTarget {
    readonly '~target': 'randomAgent';
    readonly agents: readonly (Agent | string)[];
}
export interface NestedChatTarget {
    readonly '~target': 'nestedChat';
    readonly chatQueue: readonly NestedChat[];
}
export interface GroupChatTargetOptions {
    readonly messages?: string | ChatMessage | readonly ChatMessage[] | undefined;
    readonly maxRounds?: number | undefined;
}
export interface GroupChatTarget extends GroupChatTargetOptions {
    readonly '~target': 'groupChat';
    readonly pattern: object;
}
export interface ReplyResult<C = Record<string, unknown>> {
    readonly message?: string | undefined;
    readonly target?: Target<C> | undefined;
    readonly contextVariables?: Partial<C> | undefined;
}
export interface FunctionTargetInput<C> extends RunContext {
    readonly message: ChatMessage;
    readonly variables: Readonly<C>;
}
export interface FunctionTargetResult<C> extends ReplyResult<C> {
    readonly messages?: readonly {
        readonly to: Agent | string;
        readonly content: string;
    }[] | undefined;
}
export interface FunctionTarget<C> {
    readonly '~target': 'function';
    readonly name: string;
    readonly fn: (input: FunctionTargetInput<C>) => MaybePromise<FunctionTargetResult<C>>;
}
export type Target<C = never> = Agent | string | SimpleTarget | TerminateTarget | GroupManagerTarget | RandomAgentTarget | NestedChatTarget | GroupChatTarget | FunctionTarget<C>;
export type TargetObject = Exclude<Target, Agent | string>;
export declare const stay: SimpleTarget;
export declare const revertToUser: SimpleTarget;
export declare const askUser: SimpleTarget;
export declare const terminate: TerminateTarget & ((reason: string) => TerminateTarget);
export declare const groupManager: (options?: GroupManagerOptions) => GroupManagerTarget;
export declare const randomAgent: (agents: readonly (Agent | string)[]) => RandomAgentTarget;
export declare const nestedChat: (chatQueue: readonly NestedChat[]) => NestedChatTarget;
export declare const functionTarget: <C extends object>(fn: FunctionTarget<C>['fn'], options?: {
    readonly name?: string | undefined;
}) => FunctionTarget<C>;
export declare const isTargetObject: (value: unknown) => value is TargetObject;
export declare const isTarget: (value: unknown) => value is Target;
export interface TargetDescription {
    readonly target: string;
    readonly to: string;
}
export declare function describeTarget(target: Target): TargetDescription;
export declare function handoffText(target: Target): string;
export declare function toolNamePart(target: Target): string;
export declare function checkFunctionTargetResult(result: unknown, name: string): void;
export declare function replyResult<C extends object = Record<string, unknown>>(result: ReplyResult<C>): ReplyResult<C>;
export declare const isReplyResult: (value: unknown) => value is ReplyResult;
