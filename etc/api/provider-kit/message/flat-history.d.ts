import type { ChatMessage } from '@x/interfaces';
import { type IdentifierRule } from './tool-ids.ts';
export interface FlatOptions {
    readonly ids: IdentifierRule;
    readonly legacy?: boolean | undefined;
}
export interface FlatHistory {
    readonly messages: readonly ChatMessage[];
    readonly idOf: (id: string) => string;
}
export declare function flatHistory(stored: readonly ChatMessage[], { ids, legacy }: FlatOptions): FlatHistory;
