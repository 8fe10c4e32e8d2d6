import type { ChatKind, HostedChat } from './chat-store.ts';
import type { MaybePromise } from './maybe-promise.ts';
export interface QueueKind extends ChatKind {
    readonly concurrency?: number | undefined;
}
export interface QueueWork {
    readonly kinds: readonly QueueKind[];
    readonly concurrency: number;
    readonly lease: number;
    readonly signal: AbortSignal;
    readonly run: (id: string) => Promise<void>;
    readonly onError: (error: unknown) => void;
}
export interface ChatQueue {
    add(chat: HostedChat, whole?: string): MaybePromise<void>;
    work(work: QueueWork): Promise<void>;
}
