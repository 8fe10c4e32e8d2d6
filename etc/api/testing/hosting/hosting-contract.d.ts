import type { ChatKind, ChatStore, ClaimedChat, HostBackend, HostedChat, JournalEntry, MaybePromise } from '@x/interfaces';
export interface HostingContract {
    readonly name: string;
    readonly create: () => MaybePromise<HostBackend>;
}
export declare const CHAT_KIND: ChatKind;
export declare const LATER_KIND: ChatKind;
export declare const keptEntry: (seq: number, place: string, value: unknown) => JournalEntry;
export declare const questionEntry: (seq: number, place: string) => JournalEntry;
export declare const decidedEntry: (place: string, allow?: boolean) => JournalEntry;
export declare const LEASE_SECONDS = 600;
export type StoreCheck = (title: string, use: (store: ChatStore) => Promise<void>) => void;
export declare const submitChat: (store: ChatStore, id: string, at?: number) => Promise<HostedChat>;
export declare const claimChat: (store: ChatStore, id: string, lease?: number) => Promise<ClaimedChat>;
