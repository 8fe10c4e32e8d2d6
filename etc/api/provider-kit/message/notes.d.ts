import type { ChatMessage } from '@x/interfaces';
import { type Media } from './media.ts';
export declare function notesOf({ provider_metadata: metadata, content }: ChatMessage, except?: string): string[];
export declare const hasOnlyNotes: (data: unknown) => boolean;
export declare function withNotes(message: ChatMessage): ChatMessage['content'];
export declare function mediaNote(media: Media): string;
export declare function noteOf(kind: string, part: object): string;
