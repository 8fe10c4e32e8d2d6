import type { XEvent } from './event.ts';
import type { JournalEntry } from './journal.ts';
import type { MaybePromise } from './maybe-promise.ts';
export interface HostBackend {
    readonly name: string;
    readonly store: ChatStore;
    readonly queue: ChatQueue;
    readonly events: EventLog;
    readonly records: RecordStore;
    watch(listener: (id: string | null) => void): () => void;
    reconnect?(): Promise<void>;
    close(): MaybePromise<void>;
}
export interface ChatKind {
    readonly name: string;
    readonly version: string;
}
export type HostedChatState = 'waiting' | 'waiting-to-retry' | 'running' | 'suspended' | 'done' | 'failed' | 'cancelled';
export type ChatOutcome = {
    readonly state: 'done';
    readonly value: unknown;
} | {
    readonly state: 'failed';
    readonly error: {
        readonly code: string | null;
        readonly message: string;
        readonly kind?: string | undefined;
    };
} | {
    readonly state: 'cancelled';
    readonly reason: string;
};
export interface ChatSubmission extends ChatKind {
    readonly id: string;
    readonly input: unknown;
    readonly at?: number | undefined;
    readonly durable?: boolean | undefined;
    readonly entries?: readonly JournalEntry[] | undefined;
    readonly messages?: readonly unknown[] | undefined;
    readonly tags?: readonly string[] | undefined;
    readonly tenant?: string | null | undefined;
    readonly priority?: ChatPriority | undefined;
}
export type ChatPriority = 'high' | 'normal' | 'low';
export interface HostedChat extends ChatKind, Pick<ChatSubmission, 'id' | 'input'> {
    readonly at: number;
    readonly wakesAt: number | null;
    readonly tags: readonly string[];
    readonly tenant: string | null;
    readonly priority: ChatPriority;
    readonly state: HostedChatState;
    readonly epoch: number;
    readonly turn: number;
    readonly submittedAt: number;
    readonly endedAt: number | null;
    readonly outcome: ChatOutcome | null;
    readonly setbacks: number;
    readonly reason: string | null;
    readonly retry: {
        readonly kind: string;
        readonly since: number;
        readonly at: number;
        readonly failures: number;
    } | null;
    readonly damage: string | null;
}
export interface ChatClaim {
    readonly id: string;
    readonly epoch: number;
}
export interface ClaimedChat extends HostedChat {
    readonly entries: readonly JournalEntry[];
    readonly messages: readonly unknown[];
    readonly heard: number;
    readonly now: number;
    readonly takenOver: boolean;
    readonly isLeft: boolean;
}
export interface ChatQuery {
    readonly state?: HostedChatState | undefined;
    readonly kind?: ChatKind | undefined;
    readonly after?: string | undefined;
    readonly limit: number;
    readonly submitted?: SubmittedQuery | undefined;
}
export interface SubmittedQuery {
    readonly order: 'newest' | 'oldest';
    readonly tag?: string | undefined;
    readonly tenant?: string | undefined;
    readonly since?: number | undefined;
    readonly until?: number | undefined;
    readonly after?: number | undefined;
}
export interface PendingQuestion {
    readonly chat: string;
    readonly entry: JournalEntry | null;
    readonly cursor: string;
}
export interface StoredDecision {
    readonly entry: JournalEntry;
    readonly by: string | null;
    readonly at: number;
}
export interface ChatCount extends ChatKind {
    readonly state: HostedChatState;
    readonly count: number;
}
export interface ChatStore {
    submit(chat: ChatSubmission): MaybePromise<{
        readonly chat: HostedChat;
        readonly isNew: boolean;
    }>;
    claim(id: string, lease: number, whole?: string): MaybePromise<ClaimedChat | null>;
    renew(claims: readonly ChatClaim[], lease: number): MaybePromise<readonly string[]>;
    append(claim: ChatClaim, entries: readonly JournalEntry[], events?: readonly XEvent[]): MaybePromise<{
        readonly heard: number;
    } | null>;
    finish(claim: ChatClaim, outcome: ChatOutcome, events?: readonly XEvent[]): MaybePromise<boolean>;
    suspend(claim: ChatClaim, heard: number, wakesAt?: number): MaybePromise<HostedChat | null>;
    release(claim: ChatClaim): MaybePromise<HostedChat | null>;
    putOff(claim: ChatClaim, reason: string, retry?: {
        readonly kind: string;
        readonly delay: number;
    }): MaybePromise<HostedChat | null>;
    decide(id: string, decision: JournalEntry, by: string | null): MaybePromise<HostedChat | 'known' | 'ended'>;
    send(id: string, message: unknown, key?: string): MaybePromise<HostedChat | 'ended' | {
        readonly known: string;
    }>;
    cancel(id: string, reason: string): MaybePromise<HostedChat | 'ended'>;
    resume(id: string, reason: string): MaybePromise<HostedChat | null>;
    delete(id: string): MaybePromise<boolean>;
    expired(seconds: number, limit: number): MaybePromise<readonly HostedChat[]>;
    get(id: string): MaybePromise<HostedChat | null>;
    entries(id: string): MaybePromise<readonly JournalEntry[]>;
    messages(id: string, without?: number): MaybePromise<readonly string[]>;
    decisions(id: string): MaybePromise<readonly StoredDecision[]>;
    list(query: ChatQuery): MaybePromise<readonly HostedChat[]>;
    pending(after: string | null, limit: number): MaybePromise<readonly PendingQuestion[]>;
    due(kinds: readonly ChatKind[], limit: number): MaybePromise<readonly HostedChat[]>;
    counts(options?: {
        readonly open?: boolean | undefined;
    }): MaybePromise<readonly ChatCount[]>;
}
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
export interface LoggedEvent {
    readonly cursor: string;
    readonly event: XEvent;
}
export interface EventLog {
    append(claim: ChatClaim, events: readonly XEvent[]): MaybePromise<{
        readonly followed: boolean;
    } | null>;
    read(id: string, after: string | null, limit: number): MaybePromise<readonly LoggedEvent[]>;
    readLast(id: string, limit: number): MaybePromise<readonly XEvent[]>;
    follow(ids: readonly string[], seconds: number): MaybePromise<void>;
    followed(ids: readonly string[]): MaybePromise<readonly string[]>;
    revisions(ids: readonly string[]): MaybePromise<readonly (string | null)[]>;
}
export type RecordChange<T> = (value: unknown, now: number) => {
    readonly value: unknown;
    readonly answer: T;
};
export interface RecordStore {
    change<T>(key: string, change: RecordChange<T>, options?: {
        readonly durable?: boolean | undefined;
    }): MaybePromise<T>;
}
