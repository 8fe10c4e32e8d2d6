import type { ChatClaim } from './chat-store.ts';
import type { XEvent } from './event.ts';
import type { MaybePromise } from './maybe-promise.ts';
export interface LoggedEvent {
    readonly cursor: string;
    readonly event: XEvent;
}
export interface EventLog {
    append(claim: ChatClaim, events: readonly XEvent[]): MaybePromise<{
        readonly followed: boolean;
    } | null>;
    read(id: string, after: string | null, limit: number): MaybePromise<readonly LoggedEvent[]>;
    follow(id: string, seconds: number): MaybePromise<void>;
    followed(ids: readonly string[]): MaybePromise<readonly string[]>;
}
