import type { Budget } from './budget.ts';
import type { XEvent } from './event.ts';
import type { MaybePromise } from './maybe-promise.ts';
export type Face = 'sync' | 'async' | 'stream';
export type Listener<E extends {
    readonly type: string;
} = XEvent> = (event: E) => MaybePromise<void>;
export interface RunScope {
    readonly chatId: string;
    readonly agentPath: readonly string[];
    readonly budget: Budget | null;
}
export interface Emit extends Listener {
    readonly scope?: RunScope | undefined;
}
export interface Run {
    readonly face: Face;
    readonly signal: AbortSignal | undefined;
    readonly emit: Emit;
}
export interface RunOptions {
    readonly signal?: AbortSignal | undefined;
    readonly emit?: Emit | undefined;
}
