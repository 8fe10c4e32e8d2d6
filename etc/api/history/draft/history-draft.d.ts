import type { ChatMessage } from '@x/interfaces';
export interface DraftMessage {
    readonly message: ChatMessage;
    readonly source: number;
    readonly tokens: number;
    readonly stays: boolean;
    readonly gone: boolean;
}
export interface HistoryDraft {
    readonly messages: readonly DraftMessage[];
    readonly tokens: number;
    readonly target: number;
    replace(index: number, message: ChatMessage): void;
    leaveOut(index: number): boolean;
}
