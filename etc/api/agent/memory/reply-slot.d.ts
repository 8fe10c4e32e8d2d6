import type { Agent, ReplyFunction, ReplyFunctionRecord } from '@x/interfaces';
import type { StepsReply } from '../options/reply-options.ts';
export type AnyReply = ReplyFunction<never, never> | StepsReply;
export interface ReplyEntry extends ReplyFunctionRecord {
    readonly replyFunc: AnyReply;
    readonly async: boolean;
    readonly matches: (sender: Agent | null) => boolean;
}
export type ReplySlot = ReplyEntry | null;
