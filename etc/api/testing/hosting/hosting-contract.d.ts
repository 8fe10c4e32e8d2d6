import type { ChatKind, HostBackend, JournalEntry, MaybePromise } from '@x/interfaces';
export interface HostingContract {
    readonly name: string;
    readonly create: () => MaybePromise<HostBackend>;
}
export declare const CHAT_KIND: ChatKind;
export declare const LATER_KIND: ChatKind;
export declare const keptEntry: (seq: number, place: string, value: unknown) => JournalEntry;
export declare const questionEntry: (seq: number, place: string) => JournalEntry;
export declare const decidedEntry: (place: string, allow?: boolean) => JournalEntry;
