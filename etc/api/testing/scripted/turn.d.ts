import type { MaybePromise, ModelAnswer, ModelEvent } from '@x/interfaces';
import type { ScriptedReply, ScriptedUsage } from './scripted-reply.ts';
export interface TurnDefaults {
    readonly id: string;
    readonly model: string;
    readonly usage: ScriptedUsage;
    readonly cost: number | null;
}
export interface Turn {
    readonly items: (streaming: boolean) => readonly (ModelEvent | PromiseLike<unknown>)[];
    readonly waits: boolean;
    readonly end: () => ModelAnswer;
    readonly cost: number | null;
}
export declare function turnOf(reply: ScriptedReply, defaults: TurnDefaults): MaybePromise<Turn>;
