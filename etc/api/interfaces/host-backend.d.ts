import type { ChatQueue } from './chat-queue.ts';
import type { ChatStore } from './chat-store.ts';
import type { EventLog } from './event-log.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { RecordStore } from './record-store.ts';
export interface HostBackend {
    readonly name: string;
    readonly store: ChatStore;
    readonly queue: ChatQueue;
    readonly events: EventLog;
    readonly records: RecordStore;
    watch(listener: (id: string | null) => void): () => void;
    close(): MaybePromise<void>;
}
