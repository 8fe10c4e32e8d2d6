import type { ChatMessage } from '@x/interfaces';
import { type ContentRules } from './carried-content.ts';
import { type IdentifierRule } from './identifiers.ts';
export interface FlatOptions extends ContentRules {
    readonly provider?: string | undefined;
    readonly ids: IdentifierRule;
    readonly legacy?: boolean | undefined;
}
export interface FlatHistory {
    readonly messages: readonly ChatMessage[];
    readonly idOf: (id: string) => string;
}
export declare function flatHistory(stored: readonly ChatMessage[], options: FlatOptions): FlatHistory;
