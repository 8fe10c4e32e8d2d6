import type { Agent, RegisterReplyOptions, ReplyFunction, ReplyFunctionRecord, Trigger } from '@x/interfaces';
import { type StepsReply } from './steps-reply.ts';
export type AnyReply = ReplyFunction<never, never> | StepsReply;
export interface Entry extends ReplyFunctionRecord {
    replyFunc: AnyReply;
    config: unknown;
    readonly async: boolean;
    readonly matches: (sender: Agent | null) => boolean;
}
export type Place = Entry | null;
export declare function insertReply(places: Place[], trigger: Trigger, replyFunc: AnyReply, options?: RegisterReplyOptions<never>): void;
export declare function replaceReply(places: readonly Place[], old: object, replacement: AnyReply): void;
export declare function resetReplies(places: readonly Place[]): void;
export declare const asyncReplies: (places: readonly Place[]) => string[];
export declare const isSame: (one: object, other: object) => boolean;
export declare const replyName: (reply: AnyReply) => string;
export declare const BUILT_IN: unique symbol;
