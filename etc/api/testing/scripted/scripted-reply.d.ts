import type { AnswerUsage, ChatMessage, FinishReason, MaybePromise, ModelErrorKind, ModelEvent } from '@x/interfaces';
export type ScriptedUsage = readonly [prompt: number, completion: number] | AnswerUsage | null;
export interface ReplyFacts {
    readonly usage?: ScriptedUsage | undefined;
    readonly cost?: number | null | undefined;
    readonly model?: string | undefined;
}
export interface MessageReply extends Omit<ChatMessage, 'content'>, ReplyFacts {
    readonly content?: Exclude<ChatMessage['content'], (...args: never) => unknown>;
    readonly finish_reason?: FinishReason | undefined;
}
export interface FailedReply {
    readonly error: ModelErrorKind | Error;
}
export interface DelayedReply {
    readonly delay: PromiseLike<unknown>;
    readonly reply: ScriptedReply;
}
export interface StreamedReply extends ReplyFacts {
    readonly stream: readonly (ModelEvent | PromiseLike<unknown>)[];
    readonly error?: ModelErrorKind | Error | undefined;
}
export type ScriptedReply = string | MessageReply | FailedReply | DelayedReply | StreamedReply;
export type ReplyFunctionOf<Call> = (call: Call) => MaybePromise<ScriptedReply>;
export declare function describeReply(reply: ScriptedReply): string;
