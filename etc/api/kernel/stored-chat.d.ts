import type { ClaimedChat, HostedChat, JournalEntry, XEvent } from '@x/interfaces';
import { XError } from './x-error.ts';
export type StoredChat = Readonly<Record<Exclude<keyof HostedChat, 'damage' | 'retry' | Optional>, unknown>> & Readonly<Partial<Record<Optional, unknown>>> & StoredRetry;
type Optional = 'wakesAt' | 'tags' | 'tenant' | 'priority';
type StoredRetry = Readonly<Partial<Record<'retryKind' | 'retrySince' | 'retries' | 'queued', unknown>>>;
export interface StoredJournal extends Pick<ClaimedChat, 'heard' | 'takenOver' | 'isLeft' | 'now'> {
    readonly entries: readonly unknown[];
    readonly messages: readonly unknown[];
    readonly length: number;
    readonly before?: number | undefined;
    readonly all?: number | undefined;
}
interface StoredCheckpoint {
    readonly index: number;
    readonly seq: number;
    readonly messages: number;
}
export declare function checkpointIn(entries: readonly JournalEntry[]): StoredCheckpoint | null;
export declare const damagedChat: (id: string, damage: string) => XError;
export declare function readStoredChat(stored: StoredChat): HostedChat;
export declare function readClaimedChat(chat: HostedChat, stored: StoredJournal): ClaimedChat;
export declare function readStoredEntry(id: string, text: unknown): JournalEntry;
export declare function readStoredRecord(key: string, text: unknown): unknown;
export declare function readStoredEvents(id: string, text: unknown): readonly XEvent[];
export declare const priorityNumber: (priority: HostedChat['priority'] | undefined) => number;
export {};
