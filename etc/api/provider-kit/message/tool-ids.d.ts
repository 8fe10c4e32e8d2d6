import type { ChatMessage } from '@x/interfaces';
export interface IdentifierRule {
    readonly maxLength: number;
    readonly forbidden: RegExp;
}
export declare function createIdMap({ maxLength, forbidden }: IdentifierRule, ids?: readonly string[]): (id: string) => string;
export declare function idsOf(messages: readonly ChatMessage[]): string[];
export declare function fingerprint(text: string): string;
