import type { ChatMessage } from '@x/interfaces';
export interface FlatOptions {
    readonly legacy?: boolean | undefined;
}
export declare function flatHistory(messages: readonly ChatMessage[], { legacy: keep }?: FlatOptions): readonly ChatMessage[];
