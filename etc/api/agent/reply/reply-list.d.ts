import type { Agent, RegisterReplyOptions, ReplyFunction, ReplyFunctionRecord, Trigger } from '@x/interfaces';
import { type StepsReply } from './steps-reply.ts';
export type AnyReply = ReplyFunction<never, never> | StepsReply;
export interface Entry extends ReplyFunctionRecord {
    readonly replyFunc: AnyReply;
    readonly async: boolean;
    readonly matches: (sender: Agent | null) => boolean;
}
export type Place = Entry | null;
export declare function withReply(places: readonly Place[], trigger: Trigger, replyFunc: AnyReply, options?: RegisterReplyOptions<never>): readonly Place[];
export declare const withReplaced: (places: readonly Place[], old: object, replyFunc: AnyReply) => readonly Place[];
export declare function withConfigsReset(places: readonly Place[]): readonly Place[];
export declare const asyncReplies: (places: readonly Place[]) => string[];
export declare const isSame: (one: object, other: object) => boolean;
export declare const replyName: (reply: AnyReply) => string;
export declare const BUILT_IN: unique symbol;
