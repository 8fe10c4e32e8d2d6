import type { ChatMessage } from '@x/interfaces';
import { type Media } from './media.ts';
export declare function notesOf({ provider_metadata: all, content }: ChatMessage, own?: string): string[];
export declare const hasOnlyNotes: (data: unknown) => boolean;
export declare function mediaNotes(content: ChatMessage['content']): string[];
export declare function mediaNote(media: Media): string;
export declare function withNotes(content: ChatMessage['content'], notes: readonly string[]): ChatMessage['content'];
export declare function noteOf(kind: string, part: object): string;
