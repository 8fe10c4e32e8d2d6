import type { MaybePromise } from '@x/interfaces';
import type { ServerReply, ServerScript } from './reply.ts';
export type WhenEmpty = 'fail' | 'repeat-last' | 'cycle';
export interface ScriptedReplies<R> {
    readonly replies?: ServerScript<R> | undefined;
    readonly models?: Readonly<Record<string, ServerScript<R>>> | undefined;
    readonly whenEmpty?: WhenEmpty | undefined;
}
export interface ReplyQueue<R> {
    next(model: string | undefined, request: R): MaybePromise<ServerReply>;
    assertComplete(): void;
}
export declare function queueReplies<R>({ replies, models, whenEmpty }: ScriptedReplies<R>, fallback: (request: R) => ServerReply): ReplyQueue<R>;
