import type { ChatKind, HostedChat } from './chat-store.ts';
import type { MaybePromise } from './maybe-promise.ts';
export interface QueueWork {
    readonly kinds: readonly ChatKind[];
    readonly concurrency: number;
    readonly lease: number;
    readonly signal: AbortSignal;
    readonly run: (id: string) => Promise<void>;
    readonly onError: (error: unknown) => void;
}
export interface ChatQueue {
    add(chat: HostedChat): MaybePromise<void>;
    work(work: QueueWork): Promise<void>;
}
