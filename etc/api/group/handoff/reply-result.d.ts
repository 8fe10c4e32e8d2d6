import type { ReplyResult } from './target.ts';
export declare function replyResult<C extends object = Record<string, unknown>>(result: ReplyResult<C>): ReplyResult<C>;
export declare const isReplyResult: (value: unknown) => value is ReplyResult;
