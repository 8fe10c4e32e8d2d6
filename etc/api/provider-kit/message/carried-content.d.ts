import type { ChatMessage, ContentPart } from '@x/interfaces';
import { type Media } from './media.ts';
export interface ContentRules {
    readonly owners: readonly string[];
    readonly takesInResult?: ((media: Media) => boolean) | undefined;
    readonly warn: (topic: string, text: string) => void;
}
export declare function carriedContent({ role, content }: ChatMessage, rules: ContentRules): ChatMessage['content'];
export declare function attachmentLine(name: string, part?: Exclude<ContentPart, {
    type: 'text';
}>): string;
