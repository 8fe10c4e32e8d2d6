import type { RegisterReplyOptions, Trigger } from '@x/interfaces';
import type { AnyReply, ReplySlot } from '../memory/reply-slot.ts';
export declare function withReply(slots: readonly ReplySlot[], trigger: Trigger, replyFunc: AnyReply, options?: RegisterReplyOptions<never>): readonly ReplySlot[];
export declare const withReplaced: (slots: readonly ReplySlot[], old: object, replyFunc: AnyReply) => readonly ReplySlot[];
export declare function withConfigsReset(slots: readonly ReplySlot[]): readonly ReplySlot[];
export declare const asyncReplies: (slots: readonly ReplySlot[]) => string[];
export declare const isSame: (one: object, other: object) => boolean;
export declare const replyName: (reply: AnyReply) => string;
export declare const BUILT_IN: unique symbol;
