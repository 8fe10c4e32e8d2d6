import type { ChatMessage } from '@x/interfaces';
export interface IdentifierRule {
    readonly maxLength: number;
    readonly minLength?: number | undefined;
    readonly forbidden: RegExp;
}
export declare function createIdMap({ maxLength, minLength, forbidden }: IdentifierRule, ids?: readonly string[]): (id: string) => string;
export declare function idsOf(messages: readonly ChatMessage[]): string[];
export declare function fingerprint(text: string): string;
