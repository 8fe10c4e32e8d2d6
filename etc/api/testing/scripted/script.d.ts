import type { ChatMessage, ConfigEntry, Face, MaybePromise, ModelRequest, RequestParams, ToolSchema } from '@x/interfaces';
import { type ListSnapshot } from './growing-lists.ts';
import { type ReplyFunctionOf, type ScriptedReply, type ScriptedUsage } from './scripted-reply.ts';
import { type Turn } from './turn.ts';
export interface ScriptedCall {
    readonly messages: readonly ChatMessage[];
    readonly tools: readonly ToolSchema[];
    readonly model: string;
    readonly params: Readonly<Record<string, unknown>>;
    readonly face: Face | null;
    readonly agent?: string | undefined;
    readonly sample?: number | undefined;
}
export interface ScriptOptions {
    readonly repeatLast?: boolean | undefined;
    readonly usage?: ScriptedUsage | undefined;
    readonly cost?: number | null | undefined;
}
export type Replies = readonly ScriptedReply[] | ReplyFunctionOf<ScriptedCall>;
export interface ScriptRequest {
    readonly config: Readonly<ConfigEntry>;
    readonly request: ModelRequest & Pick<RequestParams, 'tools' | 'model'>;
    readonly face: Face | null;
}
export declare class LoggedCall {
    #private;
    constructor({ config, request, face }: ScriptRequest, messages: ListSnapshot<ChatMessage>);
    get call(): ScriptedCall;
}
export declare class Script {
    #private;
    constructor(replies: Replies, options?: ScriptOptions, log?: LoggedCall[]);
    get calls(): readonly ScriptedCall[];
    take(incoming: ScriptRequest): MaybePromise<Turn>;
    assertComplete(): void;
}
