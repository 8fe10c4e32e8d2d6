import type { ChatMessage, ContentPart } from '@x/interfaces';
import { type Media } from './media.ts';
export interface ResultRules {
    readonly takesInResult?: ((media: Media) => boolean) | undefined;
    readonly warn: (topic: string, text: string) => void;
}
export declare function fitResult(content: ChatMessage['content'], { takesInResult: takes, warn }: ResultRules): ChatMessage['content'];
export declare const ATTACHMENTS = "Attachments of the results of tools. The user did not write or send them.";
export declare function attachmentLine(name: string, part?: Exclude<ContentPart, {
    type: 'text';
}>): string;
